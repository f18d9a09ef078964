"""Pages in a real browser. Chromium and Node's playwright-core are found or the tests fail."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Opens a page, does what visit.js does with one of its kind, and gives what it says."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "install Chromium: apt install chromium"
    tools = tmp_path_factory.mktemp("tools")
    shutil.copy(HERE / "visit.js", tools)
    install = ["npm", "install", "--silent", "--prefix", str(tools), "playwright-core@1.56.1"]
    subprocess.run(install, check=True, capture_output=True)

    def open_page(path: Path, kind: str) -> str:
        done = subprocess.run(
            ["node", str(tools / "visit.js"), chromium, str(path), kind],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return open_page
