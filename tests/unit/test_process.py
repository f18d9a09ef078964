"""No process outlives a run."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from maya import EmulationOptions, emulate

UNCHECKED = EmulationOptions(preload=(), check_torch=False)
FAMILY = "sleep 3600 & (sleep 3600 &) ; setsid sleep 3600 & (setsid sh -c 'sleep 3600; true' &) ; "
MAYA = """
import sys
from maya import EmulationOptions, emulate
options = EmulationOptions(preload=(), check_torch=False, output="run")
result = emulate(["sh", "-c", sys.argv[1]], options)
print(result.ended_by, result.exit_code)
"""


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """A value in the environment of everything that the test starts."""
    monkeypatch.chdir(tmp_path)
    value = uuid.uuid4().hex
    monkeypatch.setenv("MAYA_TEST_MARK", value)
    yield value
    for pid in marked(value):
        os.kill(pid, signal.SIGKILL)


def marked(value: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if value.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def wait_until_marked(value: str, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(marked(value)) < count:
        assert time.monotonic() < deadline, marked(value)
        time.sleep(0.05)


def test_what_a_finished_command_leaves_behind_is_ended(mark: str) -> None:
    result = emulate(["sh", "-c", FAMILY + "exit 3"], UNCHECKED)
    assert (result.ended_by, result.exit_code) == ("script", 3)
    assert marked(mark) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_whole_family(mark: str, number: signal.Signals) -> None:
    words = [sys.executable, "-c", MAYA, FAMILY + "wait"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as maya:
        wait_until_marked(mark, 7)
        maya.send_signal(number)
        out, _ = maya.communicate(timeout=40)
    assert out.startswith("signal")
    assert marked(mark) == []


def test_the_second_ctrl_c_ends_a_command_that_ignores_the_first(mark: str) -> None:
    words = [sys.executable, "-c", MAYA, "trap '' INT TERM; while true; do sleep 1; done"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as maya:
        wait_until_marked(mark, 3)
        time.sleep(0.3)
        maya.send_signal(signal.SIGINT)
        time.sleep(0.5)
        maya.send_signal(signal.SIGINT)
        out, _ = maya.communicate(timeout=15)
    assert out.startswith("signal")
    assert marked(mark) == []


def test_other_children_of_the_caller_live_on(mark: str) -> None:
    with subprocess.Popen(["sleep", "3600"]) as other:
        emulate(["sh", "-c", FAMILY + "exit 0"], UNCHECKED)
        assert marked(mark) == [other.pid]
        other.kill()


SPINS = "sleep 3600 & setsid sleep 3600 & env -i setsid sleep 3600 & while true; do :; done"


@pytest.mark.parametrize("victim", ["maya", "the command"])
def test_nothing_outlives_a_kill(mark: str, victim: str) -> None:
    words = [sys.executable, "-c", MAYA, SPINS]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as maya:
        wait_until_marked(mark, 4)  # the guard, the shell and the sleepers; one has no mark
        below = [pid for pid in marked(mark) if pid != maya.pid]
        spinning = next(p for p in below if Path(f"/proc/{p}/comm").read_text() == "sh\n")
        unmarked = child_without_environment(spinning)
        os.kill(maya.pid if victim == "maya" else spinning, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while (marked(mark) or lives(unmarked)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert marked(mark) == []
        assert not lives(unmarked)


def lives(pid: int) -> bool:
    """A zombie is gone; when it is reaped is its new parent's business."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def child_without_environment(parent: int) -> int:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for pid in children:
            if lives(int(pid)) and not Path(f"/proc/{pid}/environ").read_bytes():
                return int(pid)
        time.sleep(0.05)
    raise AssertionError("no child without an environment")
