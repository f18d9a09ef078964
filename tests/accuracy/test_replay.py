"""Given true durations the simulator is right: real profiler traces, replayed."""

from pathlib import Path

import pytest

from maya.errors import MayaError
from workshop.fit.dataset import data_directory
from workshop.replay.kineto import replay

WORST_STEP = 0.02


def traces() -> list[Path]:
    try:
        return sorted(data_directory().glob("kernels/*_traces/raw/*.json.gz"))
    except MayaError:
        return []


@pytest.mark.skipif(not traces(), reason="no profiler traces at hand")
@pytest.mark.parametrize("path", traces(), ids=lambda path: path.name[:24])
def test_replayed_steps_last_as_long_as_the_real_ones(path: Path) -> None:
    done = replay(path)
    assert done.real_ns
    assert max(abs(error) for error in done.errors) <= WORST_STEP
