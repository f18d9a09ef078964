"""The different kinds of work of a job, each told once: name, sizes, class, duration, source."""

from dataclasses import dataclass, field

import numpy as np

from maya.analyze.predicting import Prediction
from maya.simulator.program import Op
from maya.trace.kernel_class import kernel_class, name_of
from maya.trace.problem import problem

_MOST_TEXT = 160  # of a name or a problem: mangled templates go on for pages


@dataclass(frozen=True, slots=True)
class WorkKind:
    """One that a table or a timeline names."""

    name: str
    sizes: str
    kind: str  # its class
    source: str
    uncertainty: float  # relative, one sigma
    flops: float = 0.0
    bytes: float = 0.0


@dataclass(slots=True)
class WorkKinds:
    """Numbers for the kinds of work that a prediction has."""

    prediction: Prediction
    all: list[WorkKind] = field(default_factory=list)
    _numbers: dict[WorkKind, int] = field(default_factory=dict)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)
    _moves: dict[tuple[int, int], tuple[str, float]] = field(init=False)

    def __post_init__(self) -> None:
        self._moves = _moves(self.prediction)

    def number(self, index: int, definition: int) -> int:
        """Of a definition of the launched rank with this index."""
        key = index, definition
        if key not in self._known:
            kind = self._kind(*key)
            if kind not in self._numbers:
                self._numbers[kind] = len(self.all)
                self.all.append(kind)
            self._known[key] = self._numbers[kind]
        return self._known[key]

    def class_of(self, index: int, definition: int) -> str:
        """In a word."""
        return self.all[self.number(index, definition)].kind

    def _kind(self, index: int, number: int) -> WorkKind:
        job = self.prediction.job
        definition = job.captures[index].definition(number)
        name, sizes = name_of(definition)[:_MOST_TEXT], problem(definition)[:_MOST_TEXT]
        estimate = job.definition_tables[index].estimates.get(number)
        if estimate is None:
            cost = self._moves.get((index, number), ("", 0.0))
            return WorkKind(name, sizes, kernel_class(definition), *cost)
        return WorkKind(
            name,
            sizes,
            kernel_class(definition),
            str(estimate.source),
            estimate.uncertainty,
            estimate.flops,
            estimate.bytes,
        )


def _moves(prediction: Prediction) -> dict[tuple[int, int], tuple[str, float]]:
    """Source and uncertainty of the transfers behind each definition of a collective."""
    job, found = prediction.job, {}
    calls, members = job.program.calls, job.program.transfers.members
    for call in np.flatnonzero(calls.op == Op.COLLECTIVE).tolist():
        index = int(np.searchsorted(job.program.rank_begin, call, side="right")) - 1
        row = call - int(job.program.rank_begin[index])
        key = index, int(job.ranks[index].rows.definition[row])
        if key not in found:
            cost = job.communication[int(members[calls.operand[call]])]
            found[key] = str(cost.source), cost.uncertainty
    return found
