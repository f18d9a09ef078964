"""Ctrl-C and SIGTERM: exit codes of shells, everything ended, and a word about what is kept."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
import yaml

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
SLEEPS = "import os, time\nopen('begun', 'w').close()\ntime.sleep(60)\n"


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """In the environment of whatever the test starts."""
    value = uuid.uuid4().hex
    monkeypatch.setenv("INTERRUPT_TEST", value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    return value


def marked(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def begun(directory: Path) -> bool:
    """Whether the program has written its file, perhaps to the layer of its run."""
    return any(directory.rglob("begun"))


def interrupt(words: list[str], number: signal.Signals) -> tuple[int, str]:
    """Send a signal once the program runs: exit code, and what was said."""
    command = [sys.executable, "-m", "maya", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as maya:
        deadline = time.monotonic() + 60
        while not begun(Path.cwd()) and maya.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        maya.send_signal(number)
        _, said = maya.communicate(timeout=60)
    return maya.returncode, said


@pytest.mark.parametrize("number", CODES)
def test_an_interrupted_run_ends_with_the_signals_code(mark: str, number: signal.Signals) -> None:
    words = ["emulate", "--no-torch-check", "--allow-writes", "--", sys.executable, "sleeps.py"]
    code, said = interrupt(words, number)
    assert code == CODES[number]
    assert f"interrupted by {number.name}; nothing was recorded" in said
    assert marked(mark) == []


@pytest.mark.usefixtures("torch_seen_from_outside")
def test_an_interrupted_search_says_how_it_goes_on(mark: str) -> None:
    file = {
        "command": [sys.executable, "sleeps.py", "{size}"],
        "clusters": ["t4:1"],
        "knobs": {"size": {"choices": [1, 2]}},
    }
    Path("search.yaml").write_text(yaml.safe_dump(file))
    held = Path.cwd() / "found"
    code, said = interrupt(
        ["search", "search.yaml", "--jobs", "1", "--no-warm", "-o", str(held)], signal.SIGTERM
    )
    assert code == 143, said
    assert f"interrupted by SIGTERM; 0 trial(s) are kept in {held}" in said
    assert "the same command continues" in said
    deadline = time.monotonic() + 5
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marked(mark) == []
