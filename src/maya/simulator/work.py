"""What each definition of a capture means to the simulator."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from maya.estimate import Estimate
from maya.hardware import Cluster, Gpu
from maya.simulator.program import WHOLE_SHARE, CallFlag, Op
from maya.simulator.rows import I64
from maya.trace import Capture, Definition
from maya.trace.format import Kind

STAGED_BYTES = 64 << 10  # smaller pageable copies are staged and the call returns
ESTIMATED = (Kind.KERNEL, Kind.LIBRARY, Kind.COPY, Kind.MEMSET)
_HOST_TO_DEVICE, _DEVICE_TO_HOST, _DEVICE_TO_DEVICE = 1, 2, 3
_CHECK = "check_member"
Key = tuple[object, ...]


class Durations(Protocol):
    """Answers for every piece of work."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate: ...


@dataclass(slots=True)
class Estimates:
    """Durations of definitions, each worked out once for all ranks."""

    chain: Durations
    gpu: Gpu
    cache: dict[Key, Estimate]

    def of(self, definition: Definition) -> Estimate:
        """The estimate of a definition, whichever rank it is from."""
        key = (definition.op, *definition.fields.values(), definition.extra, definition.blob)
        if key not in self.cache:
            self.cache[key] = self.chain.estimate(definition, self.gpu)
        return self.cache[key]


@dataclass(frozen=True, slots=True)
class DefinitionTable:
    """What the simulator must know of each definition, by its number."""

    op: I64
    flags: I64
    share: I64
    duration_ns: I64
    call_ns: I64
    estimates: dict[int, Estimate]


def tabulate_definitions(
    capture: Capture, estimates: Estimates, cluster: Cluster
) -> DefinitionTable:
    """Look at every definition that the capture's events or graphs use."""
    size = max(capture.definition_ids, default=0) + 1
    columns = {name: np.zeros(size, np.int64) for name in ("op", "flags", "share", "ns", "call")}
    found: dict[int, Estimate] = {}
    checked = checked_groups(capture)
    for definition in capture.definitions():
        number, kind = definition.id, definition.kind
        columns["op"][number] = _op(definition)
        columns["call"][number] = _call_ns(definition, cluster)
        if kind == Kind.COLLECTIVE and definition.number("comm") in checked:
            columns["call"][number] += check_ns(definition, cluster)
        if kind in ESTIMATED:
            estimate = found[number] = estimates.of(definition)
            columns["ns"][number] = estimate.duration_ns
            columns["share"][number] = device_share(definition, cluster.gpu)
            columns["flags"][number] = CallFlag.BLOCKING * host_waits(definition)
    return DefinitionTable(
        columns["op"],
        columns["flags"],
        columns["share"],
        columns["ns"],
        columns["call"],
        found,
    )


def _op(definition: Definition) -> Op:
    if definition.kind == Kind.SYNC:
        return _SYNCS.get(definition.text("what"), Op.HOST)
    if definition.kind == Kind.FREE and definition.text("what") == "device":
        return Op.SYNC_DEVICE  # cudaFree waits for the device
    return _OPS.get(definition.kind, Op.HOST)


_OPS: dict[int, Op] = {
    Kind.KERNEL: Op.WORK,
    Kind.LIBRARY: Op.WORK,
    Kind.COPY: Op.WORK,
    Kind.MEMSET: Op.WORK,
    Kind.HOST_CALL: Op.WORK,
    Kind.EVENT_RECORD: Op.RECORD,
    Kind.EVENT_WAIT: Op.WAIT,
    Kind.COLLECTIVE: Op.COLLECTIVE,
}
_SYNCS = {"device": Op.SYNC_DEVICE, "stream": Op.SYNC_STREAM, "event": Op.SYNC_EVENT}


def call_ns(kind: Kind, cluster: Cluster) -> int:
    """What the real library takes on the host, at the speed of its CPU."""
    return round(cluster.host.calls_ns.get(kind.name.lower(), 0) / cluster.host.speed)


def _call_ns(definition: Definition, cluster: Cluster) -> int:
    try:
        return call_ns(Kind(definition.kind), cluster)
    except ValueError:
        return 0


def checked_groups(capture: Capture) -> frozenset[int]:
    """Communicators whose collectives torch checks (TORCH_DISTRIBUTED_DEBUG=DETAIL)."""
    made = (d for d in capture.definitions() if d.kind == Kind.COMM)
    return frozenset(d.number("comm") for d in made if d.number("checked"))


def check_ns(definition: Definition, cluster: Cluster) -> int:
    """What the host waits for before a collective that is checked; messages of pairs are not."""
    if "peer" in definition.fields:
        return 0
    return member_check_ns(cluster) * definition.number("nranks")


def member_check_ns(cluster: Cluster) -> int:
    """Of that, for each member; messages take it, so a faster CPU does not help."""
    return cluster.host.calls_ns.get(_CHECK, 0)


def device_share(definition: Definition, gpu: Gpu) -> int:
    """How much of the device the work fills; copies to and from the host have their own engines."""
    if definition.kind == Kind.COPY:
        return WHOLE_SHARE if definition.number("direction") == _DEVICE_TO_DEVICE else 0
    if definition.kind != Kind.KERNEL:
        return WHOLE_SHARE
    blocks = 1
    for axis in "xyz":
        blocks *= max(1, definition.number(f"grid_{axis}"))
    return max(1, min(WHOLE_SHARE, WHOLE_SHARE * blocks // gpu.sm_count))


def host_waits(definition: Definition) -> bool:
    """Copies that the host waits for: synchronous ones, and pageable ones that cannot be staged."""
    if definition.kind != Kind.COPY:
        return False
    direction = definition.number("direction")
    if not definition.number("async"):
        staged = direction == _HOST_TO_DEVICE and definition.number("bytes") <= STAGED_BYTES
        return direction != _DEVICE_TO_DEVICE and not staged
    if not definition.number("pageable"):
        return False
    return direction == _DEVICE_TO_HOST or definition.number("bytes") > STAGED_BYTES
