"""What a reader must know before believing the numbers."""

from collections.abc import Mapping

from maya.analyze.notes_of_masks import notes_of_masks
from maya.analyze.notes_of_values import notes_of_values
from maya.errors import MayaError
from maya.hardware import Cluster, find_gpu
from maya.simulator.work import checked_groups, member_check_ns
from maya.trace import CallCounts, Run, summarize
from maya.trace.block_masks import block_masks
from maya.trace.helpers import helpers_text
from maya.units import counted as counted_as

_CROWDED = 4.0  # threads that want each CPU
_CHOICES = "the program chose kernels, algorithms and workspaces for the GPU it saw"


def notes_of(
    run: Run,
    cluster: Cluster,
    *,
    steady: bool,
    unlike: int = 0,
    data_decided: float = 0.0,
    mask_density: float | None = None,
    not_understood: Mapping[str, int] | None = None,
    of_steps: str | None = None,
) -> tuple[str, ...]:
    """One sentence each; `unlike` counts steps beside those measured that did other work,
    `data_decided` is the share of time in kernels that data decides about,
    `mask_density` what the user gave for them,
    `not_understood` counts launches by family, `of_steps` says how steps differ."""
    counted = summarize(run.captures)
    notes = [
        *_other_gpu(run, cluster),
        *_unlike_steps(steady, unlike, of_steps),
        *filter(None, [helpers_text(run.helpers)]),
        *notes_of_values(counted, run.facts.routing if run.facts else "balanced"),
        *notes_of_masks(block_masks(run.captures), data_decided, mask_density),
        *_misread(not_understood or {}),
        *_cut_short(counted),
        *_checked(run, cluster),
        *_crowded(run),
        *_plain_start(run),
        *_stages_that_follow(run),
        *(text for text in counted.info if not text.startswith("out of memory")),
    ]
    return tuple(dict.fromkeys(notes))


def _unlike_steps(steady: bool, unlike: int, of_steps: str | None) -> list[str]:
    notes = []
    if not steady:
        notes.append(
            "the recorded steps do not repeat: they differ in more than sizes. The step time is "
            "that of the last recorded steps"
        )
    if unlike:
        notes.append(
            f"{unlike} of the recorded steps did other work than the rest, for example an "
            "evaluation. Their time is not in the step time"
        )
    return [*notes, of_steps] if of_steps else notes


def _misread(not_understood: Mapping[str, int]) -> list[str]:
    return [
        f"{launches:,} of the launches of {family} were not understood: Maya cannot read the sizes "
        "in their arguments, and guesses their time from the number of threads"
        for family, launches in sorted(not_understood.items())
    ]


def _cut_short(counted: CallCounts) -> list[str]:
    if not counted.incomplete:
        return []
    return [
        f"the recordings of {counted_as(counted.incomplete, 'rank')} were cut short; Maya uses "
        "what was recorded up to there"
    ]


def _crowded(run: Run) -> list[str]:
    host = run.facts.host if run.facts else None
    load = host.load_per_cpu if host else 0.0
    if load < _CROWDED:
        return []
    return [
        f"the machine was crowded while the program ran ({load:.0f} threads wanted each CPU): its "
        "CPU times may be up to twice too long, which matters if the step is bound by the CPU"
    ]


def _checked(run: Run, cluster: Cluster) -> list[str]:
    if not any(checked_groups(capture) for capture in run.captures):
        return []
    return [
        "TORCH_DISTRIBUTED_DEBUG=DETAIL makes PyTorch compare ranks before every collective: Maya "
        f"adds {member_check_ns(cluster) / 1e6:.2f} ms for each member of its group. Without "
        "the variable the step is shorter"
    ]


def _plain_start(run: Run) -> list[str]:
    ranks = run.facts.ranks if run.facts else None
    if ranks is None or ranks.plain_start is None:
        return []
    return [
        "every rank imported its libraries itself, which takes longer to start than copies of one "
        f"process: {ranks.plain_start}"
    ]


def _stages_that_follow(run: Run) -> list[str]:
    stages = run.ranks.stages if run.ranks else None
    if stages is None:
        return []
    return [
        f"{len(stages.derived)} of {len(stages.chain)} pipeline stages were not launched: Maya "
        "assumes that they do the same as the launched stages beside them"
    ]


def _other_gpu(run: Run, cluster: Cluster) -> list[str]:
    name = run.facts.gpu if run.facts else None
    if not name or name == cluster.gpu.id:
        return []
    try:
        seen = find_gpu(name)
    except MayaError:  # described by a user's file
        return [f"recorded on {name}, predicted on {cluster.gpu.id}: {_CHOICES}"]
    if seen.architecture == cluster.gpu.architecture:
        return [
            f"recorded on {name}, predicted on {cluster.gpu.id}, of the same architecture: "
            f"{_CHOICES}, so grids and batch sizes that follow its size are those of {name}"
        ]
    return [
        f"recorded on {name} ({seen.architecture}), predicted on {cluster.gpu.id} "
        f"({cluster.gpu.architecture}): {_CHOICES}. On {cluster.gpu.id} it may choose others, and "
        "their time and memory are not in this prediction: it has the recorded work on the other "
        f"GPU. `maya run --cluster {cluster.name}` records the program there"
    ]
