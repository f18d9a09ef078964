"""What the tests of whole frameworks share."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/emulate"))  # how a workload is run
sys.path.insert(0, str(ROOT / "tests/native"))  # what of a directory could change
sys.path.insert(0, str(ROOT / "examples"))


@pytest.fixture(scope="session")
def python_frameworks() -> Path:
    """The interpreter that has megatron-core, DeepSpeed and torchtitan."""
    path = Path(os.environ.get("MAYA_PYTHON_FRAMEWORKS", ROOT / ".venv-frameworks/bin/python"))
    if not path.exists():
        pytest.fail(f"no {path}; `make test` makes it")
    return path


@pytest.fixture(scope="session")
def frameworks_environment(workload_environment: dict[str, str]) -> dict[str, str]:
    """The same, and a home for what Hugging Face's libraries write."""
    return {**workload_environment, "HF_HOME": workload_environment["XDG_CACHE_HOME"] + "/hf"}
