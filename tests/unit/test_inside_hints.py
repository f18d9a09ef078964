"""What the code inside a rank adds to a traceback."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import maya

INSIDE = Path(maya.__file__).parent / "emulator/inside"
RAISES = "class {name}(Exception): pass\nraise {name}('CUDA_HOME does not exist')"
OWN_HOOK = "import sys\nsys.excepthook = lambda *error: print(error[1], file=sys.stderr)"
NO_CTYPES = "import sys\nsys.modules['ctypes'] = None"


def _stderr(name: str, run_dir: Path, before: str = "", inside: Path = INSIDE) -> str:
    environment = {"PYTHONPATH": str(inside), "MAYA_RUN_DIR": str(run_dir), "RANK": "0"}
    line = [sys.executable, "-c", f"{before}\n{RAISES.format(name=name)}"]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


def test_missing_toolkit_is_explained(tmp_path: Path) -> None:
    shown = _stderr("MissingCUDAException", tmp_path)
    assert "CUDA_HOME does not exist" in shown
    assert "asks a CUDA toolkit for it" in shown, shown


@pytest.mark.parametrize("before", [OWN_HOOK, NO_CTYPES], ids=["own hook", "no ctypes"])
def test_missing_toolkit_is_explained_whatever_shows_the_error(before: str, tmp_path: Path) -> None:
    shown = _stderr("MissingCUDAException", tmp_path, before)
    assert "CUDA_HOME does not exist" in shown
    assert shown.count("asks a CUDA toolkit for it") == 1, shown


def test_failures_are_told_of_even_where_the_rest_cannot_be_imported(tmp_path: Path) -> None:
    shutil.copy(INSIDE / "sitecustomize.py", tmp_path)
    shown = _stderr("MissingCUDAException", tmp_path, inside=tmp_path)
    assert "No module named 'maya_inside'" in shown
    assert "asks a CUDA toolkit for it" in shown, shown


def test_other_errors_are_left_alone(tmp_path: Path) -> None:
    assert "maya:" not in _stderr("OtherException", tmp_path)
