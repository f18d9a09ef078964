"""What a reader must know before believing the numbers."""

from collections.abc import Mapping

from maya.errors import MayaError
from maya.hardware import Cluster, find_gpu
from maya.trace import CallCounts, Run, summarize
from maya.trace.helpers import helpers_text

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
            "no steady steps were found: they differ in more than sizes. The step given is that of "
            "the steps recorded last"
        )
    if unlike:
        notes.append(
            f"{unlike} of the recorded steps did other work than the one given (an evaluation, "
            "something done every N steps) and were seen once: their time is not in the step"
        )
    notes += filter(None, [of_steps, helpers_text(run.helpers)])
    counted = summarize(run.captures)
    notes += _unknown_values(counted)
    if made := sum(count.calls for count in counted.value_policies.values()):
        first = next(iter(counted.value_policies))
        policy = run.facts.routing if run.facts else "balanced"
        notes.append(
            f"{made} read(s) of routing decisions were answered by the policy {policy!r} "
            f"(--routing; first at {first or '?'})"
        )
    if norms := sum(count.calls for count in counted.norms.values()):
        notes.append(
            f"{norms} value(s) that the program read follow from norms that no kernel computed, "
            f"each taken to be 2 (first at {next(iter(counted.norms)) or '?'}): a limit below that "
            "clips gradients, a higher one does not"
        )
    if masks := sum(count.calls for count in counted.masks.values()):
        notes.append(
            f"{masks} mask(s) that no kernel computed were taken to be half full (first at "
            f"{next(iter(counted.masks)) or '?'}): there may be more or less work on what is chosen"
        )
    if data_decided > _WORTH_TELLING:
        notes.append(
            f"{data_decided:.0%} of the time is in kernels whose loops end where data says (the "
            "mask of flex attention). Maya took half of all blocks to be computed; --mask-density "
            "says otherwise"
        )
    notes += [
        f"{launches} launch(es) of {family} were not understood: Maya cannot read the sizes in "
        "their arguments, and guesses their time from the number of threads"
        for family, launches in sorted((not_understood or {}).items())
    ]
    if counted.incomplete:
        notes.append(f"{counted.incomplete} capture(s) were cut short and read up to the cut")
    notes += _crowded(run) + _plain_start(run)
    said = dict.fromkeys(t for t in counted.info if not t.startswith("out of memory"))
    return (*notes, *said)


def _unknown_values(counted: CallCounts) -> list[str]:
    notes = []
    if chosen := sorted(counted.value_choices.items(), key=lambda row: -row[1].calls):
        site, count = chosen[0]
        others = f", and {len(chosen) - 1} other line(s)" if len(chosen) > 1 else ""
        notes.append(
            f"the program chose its path by values that kernels would have made: at {site or '?'} "
            f"it was given {count.example} ({count.calls} time(s)){others}; on a GPU it may go "
            "another way"
        )
    if reads := sum(count.calls for count in counted.value_reads.values()):
        site, count = next(iter(counted.value_reads.items()))
        notes.append(
            f"the program read {reads} other value(s) that kernels would have made (first at "
            f"{site or '?'}, where it was given {count.example})"
        )
    return notes


def _crowded(run: Run) -> list[str]:
    host = run.facts.host if run.facts else None
    load = host.load_per_cpu if host else 0.0
    if load < _CROWDED:
        return []
    return [
        f"the machine was crowded while the program ran ({load:.0f} threads wanted each CPU): its "
        "CPU times may be up to twice too long, which matters where the step is host-bound"
    ]


def _plain_start(run: Run) -> list[str]:
    ranks = run.facts.ranks if run.facts else None
    if ranks is None or ranks.plain_start is None:
        return []
    return [
        "every rank imported its libraries itself, which takes longer to start than copies of one "
        f"process: {ranks.plain_start}"
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
