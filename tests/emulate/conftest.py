"""What the emulated workloads share."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "smoke: a few workloads that together cover the most")


@pytest.fixture(scope="session")
def python_cu12() -> Path:
    """The interpreter that has torch for CUDA 12: this one, unless told otherwise."""
    return Path(os.environ.get("MAYA_PYTHON_CU12", sys.executable))


@pytest.fixture(scope="session")
def python_cu13() -> Path:
    """The interpreter that has torch for CUDA 13."""
    path = Path(os.environ.get("MAYA_PYTHON_CU13", ROOT / ".venv-cu13/bin/python"))
    if not path.exists():
        pytest.fail(f"no {path}; `make test` makes it")
    return path
