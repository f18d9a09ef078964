"""A trial runs on the GPU that its cluster file describes, not on the one it is named after."""

from pathlib import Path

import pytest

from maya.emulator import EmulationOptions, EmulationResult
from maya.hardware import Gpu
from maya.prediction import recording
from maya.recipe_search.trials import trial
from maya.recipe_search.trials.jobs import TrialJob

CLUSTER = Path(__file__).resolve().parents[3] / "examples/clusters/h100-hbm2e.yaml"


def test_a_trial_sees_the_gpu_of_the_cluster_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str | Gpu] = []

    def emulate(command: tuple[str, ...], options: EmulationOptions) -> EmulationResult:
        seen.append(options.gpu)
        output = Path(options.output or "")
        output.mkdir(parents=True)
        return EmulationResult(output, (), 1, "script", 0.0)

    monkeypatch.setattr(recording, "emulate", emulate)
    facts = {"number": 0, "command": ("true",), "env": {}, "directory": str(tmp_path)}
    limits = {"steps": 1, "max_seconds": 1.0, "host_scale": 1.0, "tokens_per_step": None}
    kept = {"keep_captures": True, "warm": False, "capture_key": "new", "store": str(tmp_path)}
    trial.run_trial(TrialJob(**facts, **limits, **kept, cluster=str(CLUSTER)))
    (gpu,) = seen
    assert isinstance(gpu, Gpu)
    assert gpu.power_limit_w == 500
