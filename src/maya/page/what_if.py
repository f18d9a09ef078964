"""What would help most: the same step simulated again with one thing changed."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maya.analyze.predicting import Prediction, step_time_of
from maya.page.kinds import WorkKinds
from maya.simulator.program import Program

_CLASSES = 4  # the longest
_FASTER = 0.5  # of the time
MOST_CALLS = 3_000_000  # beyond, ten more simulations would take minutes


@dataclass(frozen=True, slots=True)
class Scenario:
    """One change, and the step that was simulated with it."""

    name: str
    step_ms: float


def scenarios(prediction: Prediction, kinds: WorkKinds) -> list[Scenario]:
    """The largest gain first; what changes nothing is left out."""
    if len(prediction.job.program.calls) > MOST_CALLS:
        return []
    found = [Scenario("host code at no cost", prediction.without_host_ns / 1e6)]
    for name, program in _programs(prediction, kinds):
        found.append(Scenario(name, step_time_of(prediction, program) / 1e6))
    return sorted(found, key=lambda scenario: scenario.step_ms)


def _programs(prediction: Prediction, kinds: WorkKinds) -> Iterator[tuple[str, Program]]:
    program = prediction.job.program
    for name, mask in _longest_classes(prediction, kinds):
        yield f"{name} twice as fast", _work_scaled(program, mask, _FASTER)
    network = np.array([cost.over_network for cost in prediction.job.communication], bool)
    if network.any():
        yield "network twice as fast", _moves_scaled(program, network, _FASTER)
    if (~network).any():
        yield "links within a node twice as fast", _moves_scaled(program, ~network, _FASTER)
    if len(network):
        yield "communication at no cost", _moves_scaled(program, np.ones(len(network), bool), 0.0)


def _longest_classes(
    prediction: Prediction, kinds: WorkKinds
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    job = prediction.job
    calls_of: dict[str, list[npt.NDArray[np.int64]]] = defaultdict(list)
    for index, own in enumerate(job.ranks):
        number, base = own.rows.definition, int(job.program.rank_begin[index])
        for definition in job.definition_tables[index].estimates:
            calls = np.flatnonzero(number == definition)
            if len(calls):
                calls_of[kinds.class_of(index, definition)].append(calls + base)
    durations = job.program.calls.duration_ns
    joined = {name: np.concatenate(parts) for name, parts in calls_of.items()}
    longest = sorted(joined, key=lambda name: -int(durations[joined[name]].sum()))
    for name in longest[:_CLASSES]:
        mask = np.zeros(len(durations), bool)
        mask[joined[name]] = True
        yield name, mask


def _work_scaled(program: Program, mask: npt.NDArray[np.bool_], factor: float) -> Program:
    calls = program.calls
    changed = np.where(mask, np.rint(calls.duration_ns * factor), calls.duration_ns)
    return replace(program, calls=replace(calls, duration_ns=changed.astype(np.int64)))


def _moves_scaled(program: Program, mask: npt.NDArray[np.bool_], factor: float) -> Program:
    moves = program.transfers
    changed = np.where(mask, np.rint(moves.duration_ns * factor), moves.duration_ns)
    return replace(program, transfers=replace(moves, duration_ns=changed.astype(np.int64)))
