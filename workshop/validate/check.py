"""Predicts cases and keeps what came out of each."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from maya.errors import MayaError
from maya.hardware import find_cluster
from maya.prediction import predict
from maya.trace import collect
from workshop.validate.case import Case, Outcome
from workshop.validate.emulation import EmulationFailedError, Emulator

Say = Callable[[Outcome], None]


def check(cases: Sequence[Case], emulator: Emulator, jobs: int) -> Iterator[Outcome]:
    """Outcomes in the order of the cases, several at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda case: check_one(case, emulator), cases)


def check_one(case: Case, emulator: Emulator) -> Outcome:
    """Emulate and predict; whatever goes wrong is an outcome too."""
    outcome = _outcome(case, emulator)
    return replace(outcome, maker="" if outcome.failure else emulator.maker(case).label)


def _outcome(case: Case, emulator: Emulator) -> Outcome:
    try:
        cluster = find_cluster(case.cluster)  # first: a GPU may be unknown
        summary = predict(collect(emulator.run(case)), cluster).summary
    except EmulationFailedError as error:
        return Outcome(case, failure=str(error))
    except MayaError as error:
        return Outcome(case, failure=error.message)
    step, host = summary.step, summary.host
    if step is None or host is None or not step.steady:
        return Outcome(case, failure="no steady steps were found")
    return Outcome(
        case,
        predicted_ms=step.time_ms,
        low_ms=step.low_ms,
        high_ms=step.high_ms,
        bound=host.bound,
    )
