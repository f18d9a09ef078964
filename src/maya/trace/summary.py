"""What a run asked of its devices, counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from maya.trace.capture import Capture, Definition
from maya.trace.format import COPY_DIRECTIONS, DEVICE_MEMORY, LAUNCHES, EndReason, Kind
from maya.trace.problem import collective_bytes, problem

_SIGNS = {int(Kind.ALLOC): 1, int(Kind.FREE): -1}


# How the emulator found the run to be steady: it repeats, but nothing in it changes weights; its
# steps do about as much, but no two the same.
WITHOUT_OPTIMIZER, DIFFERENT = 3, 4


@dataclass(slots=True)
class Count:
    """Calls that belong together."""

    calls: int = 0
    bytes: int = 0
    problems: set[str] = field(default_factory=set)
    example: str = ""

    def add(self, calls: int, *, size: int = 0, problem: str = "") -> None:
        """Count `calls` calls of `size` bytes each."""
        self.calls += calls
        self.bytes += calls * size
        if problem:
            self.problems.add(problem)
            self.example = self.example or problem


Table = defaultdict[str, Count]


def _table() -> Table:
    return defaultdict(Count)


@dataclass(slots=True)
class CallCounts:
    """Totals over all captures of a run."""

    captures: int = 0
    incomplete: int = 0
    stopped: bool = False
    events: int = 0
    capture_bytes: int = 0
    threads: int = 0
    streams: int = 0
    steps: int = 0  # of the capture that has most
    steady: bool = False  # the steps were found to repeat
    definitions: int = 0
    peak_bytes: int = 0  # of the capture that allocated most
    graph_launches: int = 0
    kernels: Table = field(default_factory=_table)  # by mangled name
    library: Table = field(default_factory=_table)
    collectives: Table = field(default_factory=_table)
    copies: Table = field(default_factory=_table)
    memsets: Count = field(default_factory=Count)
    allocations: Table = field(default_factory=_table)
    syncs: Table = field(default_factory=_table)
    ranges: Table = field(default_factory=_table)
    value_reads: Table = field(default_factory=_table)
    value_choices: Table = field(default_factory=_table)  # reads that the program branched by
    value_policies: Table = field(default_factory=_table)  # values made up by --routing, by site
    norms: Table = field(default_factory=_table)  # values that follow from norms made up, by site
    masks: Table = field(default_factory=_table)  # masks taken to be half full, by site
    unsupported: Table = field(default_factory=_table)
    info: list[str] = field(default_factory=list)

    @property
    def bytes_per_call(self) -> float:
        """Size of the captures per recorded call."""
        return self.capture_bytes / self.events if self.events else 0.0


def summarize(captures: list[Capture] | tuple[Capture, ...]) -> CallCounts:
    """Count everything in these captures."""
    summary = CallCounts()
    for capture in captures:
        _add_capture(summary, capture)
    return summary


def total(table: Table) -> int:
    """Calls in a table."""
    return sum(count.calls for count in table.values())


def _add_capture(summary: CallCounts, capture: Capture) -> None:
    events = capture.events
    summary.captures += 1
    summary.incomplete += not capture.complete
    summary.stopped |= capture.end_reason == EndReason.STEPS
    summary.events += len(events)
    summary.capture_bytes += capture.used_bytes
    summary.definitions += len(capture.definition_ids)
    summary.threads += len(np.unique(events["thread"]))
    summary.streams += len(np.unique(events["stream"][events["stream"] > 0]))
    summary.peak_bytes = max(summary.peak_bytes, peak_memory_bytes(capture))
    pieces, launches, steady = 0, 0, None
    for number, calls in device_counts(capture).items():
        definition = capture.definition(number)
        _add_definition(summary, definition, calls)
        if definition.kind == Kind.STEP and definition.op == "steady":
            steady = definition
        elif definition.kind == Kind.STEP:
            pieces += calls
            launches += calls * (definition.op == LAUNCHES)
    summary.steady |= steady is not None and steady.number("how") != DIFFERENT
    summary.steps = max(summary.steps, _steps(pieces, launches, steady))


def _steps(pieces: int, launches: int, steady: Definition | None) -> int:
    """Steps among the pieces between optimiser updates; a steady run says how many make one."""
    if steady is None:
        return pieces - launches
    if steady.number("how") == WITHOUT_OPTIMIZER:
        return steady.number("steps")
    return pieces // max(1, steady.number("period"))


def device_counts(capture: Capture) -> Counter[int]:
    """How often each definition was asked for, with graphs counted as the nodes they launch."""
    numbers, calls = np.unique(capture.events["def"], return_counts=True)
    counts = Counter(dict(zip(numbers.tolist(), calls.tolist(), strict=True)))
    nodes = _graph_nodes(capture)
    launches = [(capture.definition(number), n) for number, n in counts.items()]
    for definition, n in launches:
        if definition.kind == Kind.GRAPH and definition.text("what", "launch") == "launch":
            for node in nodes.get(definition.number("graph"), ()):
                counts[node] += n
    return counts


def _graph_nodes(capture: Capture) -> dict[int, list[int]]:
    # Later definitions replace earlier ones: a graph may be updated in place.
    nodes: dict[int, dict[int, int]] = defaultdict(dict)
    for definition in capture.definitions():
        if definition.kind == Kind.GRAPH_NODE:
            number = definition.number
            nodes[number("graph")][number("index")] = number("def")
    known = set(capture.definition_ids)  # a node without device work has no definition
    return {
        graph: [number for number in by_index.values() if number in known]
        for graph, by_index in nodes.items()
    }


def peak_memory_bytes(capture: Capture) -> int:
    """The most memory that was allocated at one time on one device."""
    by_device: dict[int, dict[int, int]] = defaultdict(dict)
    for definition in capture.definitions():
        if definition.kind in _SIGNS and definition.text("what") in DEVICE_MEMORY:
            by_device[definition.number("device")][definition.id] = _SIGNS[definition.kind]
    return max((_peak(capture, signs) for signs in by_device.values()), default=0)


def _peak(capture: Capture, signs: dict[int, int]) -> int:
    events = capture.events
    chosen = events[np.isin(events["def"], np.fromiter(signs, np.uint32))]
    if not len(chosen):
        return 0
    direction = np.fromiter((signs[number] for number in chosen["def"].tolist()), np.int64)
    # A hostile size must not overflow the sum: nothing is larger than an address space.
    sizes = np.minimum(chosen["b"], np.uint64(1 << 47)).astype(np.float64)
    return int(max(0.0, np.cumsum(direction * sizes).max()))


def _add_definition(summary: CallCounts, definition: Definition, calls: int) -> None:
    text, size = definition.text, definition.number("bytes")
    match definition.kind:
        case Kind.KERNEL:
            summary.kernels[text("kernel")].add(calls, problem=problem(definition))
        case Kind.LIBRARY:
            summary.library[definition.op].add(calls, problem=problem(definition))
        case Kind.COLLECTIVE:
            summary.collectives[definition.op].add(
                calls, size=collective_bytes(definition), problem=problem(definition)
            )
        case Kind.COPY:
            direction = COPY_DIRECTIONS.get(definition.number("direction"), "other")
            summary.copies[direction].add(calls, size=size)
        case Kind.MEMSET:
            summary.memsets.add(calls, size=size)
        case Kind.ALLOC:
            summary.allocations[text("what")].add(calls)
        case Kind.SYNC:
            summary.syncs[text("what")].add(calls)
        case Kind.RANGE:
            if text("what") in ("push", "start", "mark"):
                summary.ranges[text("text")].add(calls)
        case Kind.GRAPH:
            summary.graph_launches += calls if text("what", "launch") == "launch" else 0
        case Kind.VALUE_POLICY:
            told = f"{text('what')}, {text('policy')}"
            tables = {"norm": summary.norms, "mask": summary.masks}
            made_up = tables.get(text("what"), summary.value_policies)
            made_up[text("site")].add(calls, problem=told)
        case Kind.VALUE_READ:
            table = summary.value_choices if definition.number("branches") else summary.value_reads
            table[text("site")].add(calls, size=size, problem=text("answer", "zeros"))
        case Kind.UNSUPPORTED:
            summary.unsupported[text("name")].add(calls, problem=text("site"))
        case Kind.INFO:
            summary.info += filter(None, [text("text")])  # others are for us, as `core_held`
