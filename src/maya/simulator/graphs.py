"""Launches of CUDA graphs, written out as the work of their nodes.

A graph becomes a few branches. Each is a stream of its own, the first the stream of the launch;
nodes on different branches are ordered by events.
"""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from maya.simulator.rows import Rows
from maya.trace import Capture, Definition
from maya.trace.format import Kind

RECORD, WAIT = -1, -2  # instead of a definition
BRANCH_STREAMS = 1 << 16  # numbers of streams that no program made
_BRANCHES = 1 << 10
_EVENTS = 1 << 56  # numbers of events that no program made


@dataclass(slots=True)
class _Template:
    """Calls of one launch: definition, branch, local event."""

    calls: list[tuple[int, int, int]] = field(default_factory=list)
    events: int = 0

    def add(self, definition: int, branch: int, event: int = 0) -> None:
        self.calls.append((definition, branch, event))

    def edge(self, source: int, target: int) -> None:
        """Order what comes on one branch behind what was on another."""
        self.add(RECORD, source, self.events)
        self.add(WAIT, target, self.events)
        self.events += 1


def expand_graphs(capture: Capture, rows: Rows, begin: int = 0) -> Rows:
    """Rows with every launch replaced by its nodes.

    Before the event `begin` only where they hold collectives, which are counted from the start.
    """
    launches = {
        d.id: d.number("graph")
        for d in capture.definitions()
        if d.kind == Kind.GRAPH and d.text("what", "launch") == "launch"
    }
    at = np.flatnonzero(np.isin(rows.definition, list(launches)))
    graphs = _nodes(capture)
    counted = [number for number, graph in launches.items() if _meets(capture, graphs.get(graph))]
    at = at[(rows.event[at] >= begin) | np.isin(rows.definition[at], counted)]
    if not len(at):
        return rows
    templates = {graph: _template(nodes) for graph, nodes in graphs.items()}
    pieces, done, events = [], 0, 0
    for index in at.tolist():
        pieces.append(rows.take(np.arange(done, index)))
        template = templates.get(launches[int(rows.definition[index])], _Template())
        pieces.append(_launch(rows, index, template, events))
        events += template.events
        done = index + 1
    pieces.append(rows.take(np.arange(done, len(rows))))
    joined = {name: np.concatenate([getattr(p, name) for p in pieces]) for name in Rows.__slots__}
    return Rows(**joined)


def _nodes(capture: Capture) -> dict[int, list[Definition]]:
    graphs: dict[int, dict[int, Definition]] = defaultdict(dict)
    for definition in capture.definitions():
        if definition.kind == Kind.GRAPH_NODE:
            graphs[definition.number("graph")][definition.number("index")] = definition
    return {graph: [nodes[index] for index in sorted(nodes)] for graph, nodes in graphs.items()}


def _meets(capture: Capture, nodes: list[Definition] | None) -> bool:
    """Whether other ranks are met in it."""
    numbers = [node.number("def") for node in nodes or ()]
    return any(capture.definition(n).kind == Kind.COLLECTIVE for n in numbers if n)


def _template(nodes: list[Definition]) -> _Template:
    template = _Template()
    branch_of, branches = _branches(nodes)
    crossing = {d for node in nodes for d in _others(node, branch_of)}
    event_of: dict[int, int] = {}
    roots = [
        branch for node in nodes if not node.extra and (branch := branch_of[node.number("index")])
    ]
    for branch in roots:
        template.edge(0, branch)
    for node in nodes:
        index = node.number("index")
        own = branch_of[index]
        for event in [event_of[d] for d in _others(node, branch_of)]:
            template.add(WAIT, own, event)
        if node.number("def"):
            template.add(node.number("def"), own)
        if index in crossing:
            event_of[index] = template.events
            template.add(RECORD, own, template.events)
            template.events += 1
    for branch in range(1, branches):
        template.edge(branch, 0)
    return template


def _branches(nodes: list[Definition]) -> tuple[dict[int, int], int]:
    """A node goes on with the branch of something it depends on, if nothing else has yet."""
    branch_of: dict[int, int] = {}
    tail: dict[int, int] = {}  # branch -> its last node
    for node in nodes:
        own = next((branch_of[d] for d in node.extra if tail.get(branch_of.get(d, -1)) == d), None)
        own = len(tail) if own is None else own
        branch_of[node.number("index")], tail[own] = own, node.number("index")
    return branch_of, len(tail)


def _others(node: Definition, branch_of: dict[int, int]) -> list[int]:
    """What the node depends on outside its own branch."""
    own = branch_of[node.number("index")]
    return [d for d in node.extra if d in branch_of and branch_of[d] != own]


def _launch(rows: Rows, index: int, template: _Template, first_event: int) -> Rows:
    # The launch itself stays as the call that costs CPU time; its nodes cost none.
    calls = np.array([(0, 0, 0), *template.calls], np.int64)
    one = rows.take(np.full(len(calls), index))
    inside = np.arange(len(calls)) > 0
    private = BRANCH_STREAMS + one.stream * _BRANCHES + calls[:, 1]
    return Rows(
        definition=np.where(inside, calls[:, 0], one.definition),
        thread=one.thread,
        stream=np.where(calls[:, 1] > 0, private, one.stream),
        start_ns=one.start_ns,
        cpu_ns=np.where(inside, 0, one.cpu_ns),
        call_ns=one.call_ns,
        a=np.where(inside, _EVENTS + first_event + calls[:, 2], one.a),
        b=np.where(inside, 0, one.b),
        event=one.event,
    )
