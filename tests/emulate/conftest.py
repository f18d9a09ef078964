"""What the emulated workloads share."""

import os
import sys
import warnings
from pathlib import Path

import pytest
from private_mounts import may_mount

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "smoke: a few workloads that together cover the most")
    config.addinivalue_line("markers", "private_mounts: mounts a disk that nobody else sees")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What this machine cannot do at all is left out by name, not skipped one by one."""
    asked = [item for item in items if item.get_closest_marker("private_mounts")]
    if asked and not may_mount():
        items[:] = [item for item in items if item not in asked]
        config.hook.pytest_deselected(items=asked)
        names = ", ".join(item.name for item in asked)
        warnings.warn(f"no private mounts on this machine; left out: {names}", stacklevel=1)


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
