"""What to say of a script that ran out of memory."""

from rich.markup import escape

from maya.analyze.memory import memory_of
from maya.analyze.predict import rank_of
from maya.cli.render import byte_count, print_json, stderr
from maya.errors import ExitCode
from maya.hardware import Cluster
from maya.trace import Run, summarize


def report_out_of_memory(run: Run, cluster: Cluster, *, json: bool) -> ExitCode:
    """How much was missing and what held the memory."""
    ranks = [memory_of(c, rank_of(c, i)) for i, c in enumerate(run.captures)]
    fullest = max(ranks, key=lambda rank: rank.peak_reserved_bytes)
    reasons = [text for text in summarize(run.captures).info if text.startswith("out of memory")]
    gpu = cluster.gpu
    stderr.print(
        f"[bold red]does not fit[/]: rank {fullest.rank} holds "
        f"{byte_count(fullest.peak_reserved_bytes)} of {byte_count(gpu.usable_memory_bytes)} "
        f"usable on {escape(gpu.name)}",
        soft_wrap=True,
    )
    for reason in reasons[-1:]:
        stderr.print(escape(reason), soft_wrap=True)
    for what, held in sorted(fullest.holders.items(), key=lambda item: -item[1]):
        stderr.print(f"  {byte_count(held)} {escape(what)} memory", soft_wrap=True)
    if json:
        print_json(
            {
                "schema_version": 1,
                "cluster": cluster.name,
                "gpus": cluster.gpus,
                "command": run.description.get("command", []),
                "step": None,
                "memory": {
                    "peak_allocated_bytes": fullest.peak_allocated_bytes,
                    "peak_reserved_bytes": fullest.peak_reserved_bytes,
                    "capacity_bytes": gpu.total_memory_bytes,
                    "oom": True,
                    "reason": reasons[-1] if reasons else None,
                    "holders": fullest.holders,
                },
            }
        )
    return ExitCode.OUT_OF_MEMORY
