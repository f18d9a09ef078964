"""Helpers of unit tests are importable by name; none of the tests needs PyTorch."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from timelines import PLAIN, TIMED

from maya.simulator import Settings


@pytest.fixture
def torch_seen_from_outside(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For programs that do not import it: all that Maya reads of torch before it starts them."""
    packages = tmp_path_factory.mktemp("packages")
    (packages / "torch").mkdir()
    (packages / "torch/__init__.py").write_text("raise ImportError('only seen from outside')")
    (packages / "torch/version.py").write_text("__version__ = '2.9.1'\ncuda = '12.8'\n")
    monkeypatch.setenv("PYTHONPATH", str(packages))


@pytest.fixture(params=[PLAIN, TIMED], ids=["plain", "timed"])
def settings(request: pytest.FixtureRequest) -> Settings:
    """Both ways through the engine must agree where nothing is shared."""
    chosen: Settings = request.param
    return chosen
