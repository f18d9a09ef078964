"""Predicts cases and keeps what came out of each."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from maya.analyze import predict
from maya.errors import MayaError
from maya.hardware import find_cluster
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
        prediction = predict(collect(emulator.run(case)), cluster)
    except EmulationFailedError as error:
        return Outcome(case, failure=str(error))
    except MayaError as error:
        return Outcome(case, failure=error.message)
    if not all(window.steady for window in prediction.job.windows):
        return Outcome(case, failure="no steady steps were found")
    return Outcome(
        case,
        predicted_ms=prediction.step_ns / 1e6,
        low_ms=prediction.low_ns / 1e6,
        high_ms=prediction.high_ns / 1e6,
        bound="host" if prediction.host_bound else "device",
    )
