"""What the code inside a rank adds to a traceback."""

import subprocess
import sys
from pathlib import Path

import maya

INSIDE = Path(maya.__file__).parent / "emulator/inside"
RAISES = "class {name}(Exception): pass\nraise {name}('CUDA_HOME does not exist')"


def _stderr(name: str, run_dir: Path) -> str:
    environment = {"PYTHONPATH": str(INSIDE), "MAYA_RUN_DIR": str(run_dir), "RANK": "0"}
    line = [sys.executable, "-c", RAISES.format(name=name)]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


def test_missing_toolkit_is_explained(tmp_path: Path) -> None:
    shown = _stderr("MissingCUDAException", tmp_path)
    assert "CUDA_HOME does not exist" in shown
    assert "asks a CUDA toolkit for it" in shown, shown


def test_other_errors_are_left_alone(tmp_path: Path) -> None:
    assert "maya:" not in _stderr("OtherException", tmp_path)
