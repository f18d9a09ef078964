"""The summary of a run that has no step: the same fields, and why there is none."""

from maya.analyze.memory import memory_of
from maya.analyze.notes import notes_of
from maya.analyze.summary import cost_of, emulation_figures, unsupported_calls
from maya.analyze.summary_memory import driver_failure, memory_figures, script_ran_out_of_memory
from maya.analyze.world import check_fits, rank_of, world_size_of
from maya.hardware import Cluster
from maya.simulator.steps import find_windows
from maya.summary import SCHEMA_VERSION, PredictionOptions, Summary
from maya.summary.figures import Throughput
from maya.trace import Run, summarize
from maya.version import maya_version

OUT_OF_MEMORY = "the script ran out of memory"


def no_step(run: Run) -> str | None:
    """Why there is no step to predict; None where there is one."""
    if script_ran_out_of_memory(run):
        return OUT_OF_MEMORY
    if all(window.found for window in find_windows(run.captures)):
        return None
    updates = _updates(summarize(run.captures).steps)
    return f"{_ending(run)}. {updates}"


def _updates(seen: int) -> str:
    """What was seen of optimisers. One that steps last of all leaves no work behind to show it."""
    updates = f"{seen or 'no'} update{'' if seen == 1 else 's'} of an optimiser"
    return f"Maya saw {updates} followed by GPU work, and needs two: a step lies between them"


def _ending(run: Run) -> str:
    facts = run.facts
    ended_by = facts.ended_by if facts else None
    if facts and ended_by == "max-seconds":
        return f"none was found before --max-seconds ({facts.max_seconds:g}) ended the program"
    if ended_by == "script":
        return "the program ended before it had repeated one"
    return "none is in what was recorded"


def summary_without_step(
    run: Run, cluster: Cluster, reason: str, asked: PredictionOptions | None = None
) -> Summary:
    """What is known nevertheless, which is memory; `reason`: no_step's."""
    failed = reason == OUT_OF_MEMORY
    if not failed:
        check_fits(world_size_of(run), cluster)
    ranks = [memory_of(capture, rank_of(capture, i)) for i, capture in enumerate(run.captures)]
    said = driver_failure(run) if failed else None
    used = _ranks_started(run)
    return Summary(
        schema_version=SCHEMA_VERSION,
        maya_version=maya_version(),
        cluster=cluster,
        options=asked or PredictionOptions(),
        command=run.command,
        gpus=cluster.gpus,
        gpus_used=used,
        step=None,
        no_step=reason,
        every_rank=None,
        mfu=None,
        hfu=None,
        model_flops_per_step=None,
        memory=memory_figures(ranks, cluster.gpu, failed=failed, reason=said),
        device=None,
        communication=None,
        host=None,
        critical_path=None,
        cost=cost_of(cluster, None),
        throughput=Throughput(),
        provenance=None,
        unsupported_calls=unsupported_calls(run),
        notes=() if failed else notes_of(run, cluster, steady=True),
        emulation=emulation_figures(run, used),
    )


def _ranks_started(run: Run) -> int:
    """Ranks of the job; some of one that failed may have left no capture."""
    return max(len(run.captures), *(capture.header.world_size for capture in run.captures))
