"""What a reader must know before believing the numbers."""

from collections.abc import Mapping

from maya.errors import MayaError
from maya.hardware import Cluster, find_gpu
from maya.simulator.work import checked_groups, member_check_ns
from maya.trace import CallCounts, Run, summarize
from maya.trace.helpers import helpers_text
from maya.units import counted as counted_as

_WORTH_TELLING = 0.05  # of the time
_CROWDED = 4.0  # threads that want each CPU
_CHOICES = "the program chose kernels, algorithms and workspaces for the GPU it saw"


def notes_of(
    run: Run,
    cluster: Cluster,
    *,
    steady: bool,
    unlike: int = 0,
    data_decided: float = 0.0,
    not_understood: Mapping[str, int] | None = None,
    of_steps: str | None = None,
) -> tuple[str, ...]:
    """One sentence each; `unlike` counts steps beside those measured that did other work,
    `data_decided` is the share of time in kernels that data decides about,
    `not_understood` counts launches by family, `of_steps` says how steps differ."""
    notes = _other_gpu(run, cluster)
    if not steady:
        notes.append(
            "the recorded steps do not repeat: they differ in more than sizes. The step time is "
            "that of the steps recorded last"
        )
    if unlike:
        notes.append(
            f"{unlike} of the recorded steps did other work than the rest, as an evaluation does, "
            "and were seen once: their time is not in the step time"
        )
    notes += filter(None, [of_steps, helpers_text(run.helpers)])
    counted = summarize(run.captures)
    notes += _unknown_values(counted)
    if made := sum(count.calls for count in counted.value_policies.values()):
        first = next(iter(counted.value_policies))
        policy = run.facts.routing if run.facts else "balanced"
        notes.append(
            f"the script asked {_times(made)} which experts its tokens go to, and Maya answered by "
            f"the policy {policy!r} (--routing says otherwise; first at {first or '?'})"
        )
    if norms := sum(count.calls for count in counted.norms.values()):
        notes.append(
            f"the script read {_values(norms)} that depend on a norm. No kernel computes it here, "
            f"and Maya took 2 (first at {next(iter(counted.norms)) or '?'}): clipping at less than "
            "2 scales the gradients, clipping at more does not"
        )
    if masks := sum(count.calls for count in counted.masks.values()):
        notes.append(
            f"{counted_as(masks, 'mask')} could not be computed here, and Maya took half of each "
            f"to be set (first at {next(iter(counted.masks)) or '?'}): what it selects may be "
            "more or less work"
        )
    if data_decided > _WORTH_TELLING:
        notes.append(
            f"{data_decided:.0%} of the time is in kernels whose loops end where data says (the "
            "mask of flex attention). Maya took half of all blocks to be computed; --mask-density "
            "says otherwise"
        )
    notes += [
        f"{launches:,} of the launches of {family} were not understood: Maya cannot read the sizes "
        "in their arguments, and guesses their time from the number of threads"
        for family, launches in sorted((not_understood or {}).items())
    ]
    if counted.incomplete:
        notes.append(
            f"the recordings of {counted_as(counted.incomplete, 'rank')} were cut short, "
            "and read up to the cut"
        )
    notes += _checked(run, cluster)
    notes += _crowded(run) + _plain_start(run) + _stages_that_follow(run)
    said = dict.fromkeys(t for t in counted.info if not t.startswith("out of memory"))
    return (*notes, *said)


def _unknown_values(counted: CallCounts) -> list[str]:
    notes = []
    if chosen := sorted(counted.value_choices.items(), key=lambda row: -row[1].calls):
        site, count = chosen[0]
        others = f", as at {counted_as(len(chosen) - 1, 'other line')}" if len(chosen) > 1 else ""
        notes.append(
            f"the script decided how to go on by a value that no kernel computes here: at "
            f"{site or '?'} Maya gave it {count.example} ({_times(count.calls)}){others}. On a GPU "
            "it may decide otherwise"
        )
    if reads := sum(count.calls for count in counted.value_reads.values()):
        site, count = next(iter(counted.value_reads.items()))
        notes.append(
            f"the script read {_values(reads)} that kernels would have computed, and Maya gave it "
            f"likely ones (first at {site or '?'}: {count.example})"
        )
    return notes


def _values(number: int) -> str:
    return counted_as(number, "value")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _crowded(run: Run) -> list[str]:
    host = run.facts.host if run.facts else None
    load = host.load_per_cpu if host else 0.0
    if load < _CROWDED:
        return []
    return [
        f"the machine was crowded while the program ran ({load:.0f} threads wanted each CPU): its "
        "CPU times may be up to twice too long, which matters where the CPU bounds the step"
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
        f"{len(stages.derived)} of {len(stages.chain)} pipeline stages were not launched: they are "
        "taken to do what stages beside them do, as often as their places ask for"
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
            f"{_CHOICES}, so grids and batch sizes that follow its size are those of the first"
        ]
    return [
        f"recorded on {name} ({seen.architecture}), predicted on {cluster.gpu.id} "
        f"({cluster.gpu.architecture}): {_CHOICES}. What this cannot tell: other kernels and "
        "algorithms that would be chosen there, precisions and features that only one of them has, "
        "memory of other workspaces. Durations are those of the same work on the other GPU; "
        f"`maya run --cluster {cluster.name}` records it anew"
    ]
