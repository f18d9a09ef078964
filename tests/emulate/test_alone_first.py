"""A rank that exchanges messages may be watched alone before its partners are launched."""

import sys
from pathlib import Path

import pytest

from maya.emulate import EmulationOptions, emulate
from maya.trace import read_capture

PIPELINE = Path(__file__).parent / "workloads/parallel_pipeline.py"
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
COMMAND = [*TORCHRUN, str(PIPELINE), "--schedule", "gpipe", "--layers", "1"]


@pytest.mark.parametrize("hopeless", [False, True])
def test_partners_are_launched_once_nothing_more_is_learnt(hopeless: bool, tmp_path: Path) -> None:
    said: list[str] = []
    alone: list[int] = []

    def steps(run_dir: Path) -> int:
        (capture,) = (read_capture(path) for path in run_dir.glob("*.maya"))
        kinds = {d.id for d in capture.definitions() if d.op == "step_boundary"}
        return sum(event in kinds for event in capture.events["def"].tolist())

    def seen_alone(run_dir: Path) -> bool:
        alone.append(steps(run_dir))
        return alone[-1] >= 2

    options = EmulationOptions(
        gpus=2,
        nodes=1,
        steps=20,
        output=tmp_path / "run",
        say=said.append,
        seen_alone=seen_alone,
        enough=lambda run_dir: hopeless and len(said) == 1 and bool(alone) and alone[-1] >= 1,
    )
    result = emulate(COMMAND, options)
    assert max(alone) >= 1  # it went on although its partner had not been launched
    assert len(result.captures) == (1 if hopeless else 2)
    assert len(said) == (1 if hopeless else 2)
