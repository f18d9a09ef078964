"""Given true durations the simulator is right: real profiler traces, replayed."""

import pytest

from workshop.measurements.store import measurements
from workshop.replay.command import stored_traces
from workshop.replay.kineto import replay

WORST_STEP = 0.02


@pytest.mark.parametrize("file", stored_traces(), ids=lambda file: file.rpartition("/")[2][:24])
def test_replayed_steps_last_as_long_as_the_real_ones(file: str) -> None:
    done = replay(file, measurements().rows_of(file))
    assert done.real_ns
    assert max(abs(error) for error in done.errors) <= WORST_STEP


def test_there_are_traces_to_replay() -> None:
    assert len(stored_traces()) == 4
