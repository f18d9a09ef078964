"""The user's files and the layer over them, for tests of the layer."""

from pathlib import Path

import pytest
from file_layer import users_directory


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return users_directory(tmp_path / "home", hard_links=True)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    return tmp_path / "layer"
