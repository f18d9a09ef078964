"""What a reader must know before believing the numbers."""

from maya.errors import MayaError
from maya.hardware import Cluster, find_gpu
from maya.trace import Run, summarize

_WORTH_TELLING = 0.05  # of the time
_CROWDED = 4.0  # threads that want each CPU
_CHOICES = "the program chose kernels, algorithms and workspaces for the GPU it saw"


def notes_of(run: Run, cluster: Cluster, *, steady: bool, data_decided: float = 0.0) -> list[str]:
    """One sentence each; `data_decided` is the share of time in kernels that data decides about."""
    notes = _other_gpu(run, cluster)
    if not steady:
        notes.append(
            "no steady steps were found: they differ in more than sizes, and the step given is the "
            "mean of those recorded last"
        )
    counted = summarize(run.captures)
    if reads := sum(count.calls for count in counted.value_reads.values()):
        first = next(iter(counted.value_reads))
        notes.append(
            f"the program read {reads} value(s) that kernels would have made and was given zeros "
            f"(first at {first or '?'}): control flow that depends on them may differ"
        )
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
            "clips, a higher one does not"
        )
    if masks := sum(count.calls for count in counted.masks.values()):
        notes.append(
            f"{masks} mask(s) that no kernel computed were taken to be half full (first at "
            f"{next(iter(counted.masks)) or '?'}): there may be more or less work on what is chosen"
        )
    if data_decided > _WORTH_TELLING:
        notes.append(
            f"{data_decided:.0%} of the time is in kernels whose loops end where data says (the "
            "mask of flex attention): how far they run was assumed, half of all blocks unless "
            "--mask-density says otherwise"
        )
    if counted.incomplete:
        notes.append(f"{counted.incomplete} capture(s) were cut short and read up to the cut")
    notes += _crowded(run)
    said = dict.fromkeys(t for t in counted.info if not t.startswith("out of memory"))
    return notes + list(said)


def _crowded(run: Run) -> list[str]:
    host = run.facts.host if run.facts else None
    load = host.load_per_cpu if host else 0.0
    if load < _CROWDED:
        return []
    return [
        f"the machine was crowded while the program ran ({load:.0f} threads wanted each CPU): its "
        "CPU times may be up to twice too long, which matters where the step is host-bound"
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
