"""One rank's rows as calls of the engine, numbered within the rank."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.simulator.graphs import BRANCH_STREAMS, RECORD, WAIT
from maya.simulator.host_cost import issue_after
from maya.simulator.program import CallFlag, Op, StreamFlag
from maya.simulator.rows import I64, Rows
from maya.simulator.steps import Window
from maya.simulator.work import DefinitionTable
from maya.trace import Capture, Definition
from maya.trace.format import Kind
from maya.trace.saving import saving_mask

_NON_BLOCKING = 1
# Other ranks take part in a collective, and later work may wait for an event: these stay.
_UNCOUNTED_IN_SAVING = (Op.WORK, Op.SYNC_DEVICE, Op.SYNC_STREAM, Op.SYNC_EVENT)


@dataclass(frozen=True, slots=True)
class RankCalls:
    """Columns of the engine's calls, with streams, devices and events numbered within the rank."""

    rows: Rows
    op: I64
    flags: I64
    share: I64
    stream: I64
    operand: I64
    after: I64
    host_ns: I64
    duration_ns: I64
    stream_device: I64
    stream_flags: I64
    slots: int

    @property
    def devices_at_work(self) -> int:
        """How many do something in the window; streams alone are no work."""
        streams = self.stream[(self.stream >= 0) & (self.duration_ns > 0)]
        return len(np.unique(self.stream_device[streams]))


def lower(
    capture: Capture, rows: Rows, window: Window, definitions: DefinitionTable, event_cpu_ns: I64
) -> RankCalls:
    """Translate the rows of a window; `event_cpu_ns`: CPU time before each event."""
    first, last = np.searchsorted(rows.event, (window.begin, window.end))
    part = rows.take(slice(int(first), int(last)))
    made = part.definition < 0
    number = np.where(made, 0, part.definition)
    inside = np.zeros(len(part), bool)  # nodes of a graph share the event of their launch
    inside[1:] = part.event[1:] == part.event[:-1]
    op = np.select(
        [part.definition == RECORD, part.definition == WAIT],
        [Op.RECORD, Op.WAIT],
        definitions.op[number],
    )
    saving = saving_mask(capture)[part.event]
    op = np.where(saving & np.isin(op, _UNCOUNTED_IN_SAVING), Op.HOST, op)
    op, slot, slots = _slots(part, op)
    numbers, stream = np.unique(part.stream, return_inverse=True)
    device, flags = _streams(capture, numbers)
    cpu_ns = event_cpu_ns[part.event]
    call_ns = np.where(inside, 0, definitions.call_ns[number])
    device_of_sync = _sync_devices(capture, part)
    return RankCalls(
        rows=part,
        op=op,
        flags=np.where(inside, CallFlag.UNQUEUED, np.where(saving, 0, definitions.flags[number])),
        share=definitions.share[number],
        stream=np.where(op == Op.SYNC_DEVICE, device_of_sync, stream),
        operand=slot,
        after=np.where(inside, np.arange(len(part)) - 1, issue_after(part)),
        host_ns=np.where(saving, 0, np.where(inside, 0, cpu_ns) + call_ns),
        duration_ns=np.where(op == Op.WORK, definitions.duration_ns[number], 0),
        stream_device=device,
        stream_flags=flags,
        slots=slots,
    )


def _slots(rows: Rows, op: I64) -> tuple[I64, I64, int]:
    """A slot for each version of an event recorded here; waits for earlier ones are over."""
    key = rows.a * np.int64(1 << 24) + rows.b
    records = op == Op.RECORD
    known, index = np.unique(key[records], return_inverse=True)
    slot = np.zeros(len(rows), np.int64)
    slot[records] = index
    waits = (op == Op.WAIT) | (op == Op.SYNC_EVENT)
    if len(known):
        place = np.minimum(np.searchsorted(known, key), len(known) - 1)
        found = known[place] == key
        slot[waits] = place[waits]
    else:
        found = np.zeros(len(rows), bool)
    return np.where(waits & ~found, Op.HOST, op), slot, len(known)


def _streams(capture: Capture, numbers: I64) -> tuple[I64, I64]:
    """Device and behaviour of streams, from the calls that made them."""
    device = np.zeros(len(numbers), np.int64)
    flags = np.zeros(len(numbers), np.int64)
    made = {d.id: d for d in capture.definitions() if d.kind == Kind.STREAM}
    events = capture.events[np.isin(capture.events["def"], list(made))]
    place = {int(number): index for index, number in enumerate(numbers)}
    for number, definition in zip(events["stream"].tolist(), events["def"].tolist(), strict=True):
        about = made[definition]
        if number in place and about.text("what") != "destroy":
            device[place[number]] = about.number("device")
            flags[place[number]] = _behaviour(about)
    for number, index in place.items():
        if number >= BRANCH_STREAMS and (launch := place.get((number - BRANCH_STREAMS) >> 10)):
            device[index] = device[launch]
    return device, flags


def _behaviour(made: Definition) -> int:
    if made.text("what") == "default":
        return StreamFlag.LEGACY
    first = StreamFlag.HIGH_PRIORITY if made.number("priority") < 0 else 0
    return first | (0 if made.number("flags") & _NON_BLOCKING else StreamFlag.BLOCKS)


def _sync_devices(capture: Capture, rows: Rows) -> npt.NDArray[np.int64]:
    table = np.zeros(max(capture.definition_ids, default=0) + 1, np.int64)
    for definition in capture.definitions():
        if definition.kind in (Kind.SYNC, Kind.FREE):
            table[definition.id] = definition.number("device")
    return table[np.maximum(rows.definition, 0)]
