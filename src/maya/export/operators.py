"""PyTorch's operators on the host threads, as far as they ask for work."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from maya.analyze.placed import enclosing_operators
from maya.analyze.predicting import Prediction
from maya.export.rank_spans import OperatorSpan, RuntimeCall
from maya.trace.operators import Enclosing, Operator


@dataclass(slots=True)
class _Running:
    operator: Operator
    calls: list[RuntimeCall] = field(default_factory=list)
    own: list[int] = field(default_factory=list)  # correlations


def operator_spans(
    prediction: Prediction, index: int, calls: list[RuntimeCall]
) -> list[OperatorSpan]:
    """Of a launched rank; an outer one before those within it."""
    working = [call for call in calls if not call.waits]
    numbers = np.array([call.correlation for call in working], np.int64)
    inside = enclosing_operators(prediction, index, numbers)
    if inside is None:
        return []
    threads: dict[int, list[tuple[RuntimeCall, Enclosing | None]]] = {}
    for call, enclosing in zip(working, inside, strict=True):
        threads.setdefault(call.thread, []).append((call, enclosing))
    found = [one for asked in threads.values() for one in _of_thread(asked)]
    first = 1 + max(call.correlation for call in calls)
    return [_span(one, number) for number, one in enumerate(found, first)]


def _span(one: _Running, number: int) -> OperatorSpan:
    first, last = one.calls[0], one.calls[-1]
    times = first.begin_ns, last.end_ns
    return OperatorSpan(one.operator, number, first.thread, *times, tuple(one.own))


def _of_thread(asked: Sequence[tuple[RuntimeCall, Enclosing | None]]) -> list[_Running]:
    """`asked`: in the order of the thread."""
    found: list[_Running] = []
    running: list[_Running] = []
    last: Enclosing | None = None
    for call, enclosing in asked:
        operators = enclosing.operators if enclosing else ()
        # Of one launch of a graph, every node is asked for by the same operators.
        shared = len(operators) if enclosing is last else enclosing.shared if enclosing else 0
        del running[_still_running(running, operators[:shared]) :]
        begun = [_Running(operator) for operator in operators[len(running) :]]
        running += begun
        found += begun
        for one in running:
            one.calls.append(call)
        if running:
            running[-1].own.append(call.correlation)
        last = enclosing
    return found


def _still_running(running: Sequence[_Running], shared: Sequence[Operator]) -> int:
    """How many of the outermost."""
    pairs = zip(running, shared, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].operator == pair[1], pairs))
