"""A disk that stops growing in the middle of a capture: a clear message and no valid run."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from private_mounts import mounted

from maya.emulator.native import native_dir

SCRIPTS = Path(__file__).parent / "workloads"
ROOM = 3 << 20  # a capture grows by 2 MiB at a time: it begins well
HELD = 3 << 20  # the index of held files, and a little
MOUNT = f'mount -t tmpfs -o size={ROOM + HELD} none "$0" && exec "$@"'


def _little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A program that is no Python and never ends by itself."""
    program = tmp_path_factory.mktemp("program") / "endless"
    library = native_dir() / "libcudart.so.12"
    options = ["-std=c11", "-Wall", "-Wl,--allow-shlib-undefined"]
    built = subprocess.run(
        ["gcc", *options, SCRIPTS / "endless.c", "-o", program, library],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return [str(program)]


def _emulate(run_dir: Path, program: list[str]) -> list[str]:
    options = ["--steps", "0", "--max-seconds", "60", "--force", "-o", str(run_dir)]
    return [sys.executable, "-m", "maya", "emulate", *options, "--", *program]


def _expect_failure(done: "subprocess.CompletedProcess[str]", reason: str) -> None:
    assert done.returncode == 1, done.stderr
    assert f"the capture cannot grow: {reason}" in done.stderr
    assert "hint: free disk space" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("language", ["C", "Python"])
def test_a_capture_that_may_not_grow_is_an_error_and_no_run(
    language: str, endless: list[str], tmp_path: Path
) -> None:
    program = endless if language == "C" else [sys.executable, str(SCRIPTS / "endless.py")]
    run_dir = tmp_path / "run"
    done = subprocess.run(
        _emulate(run_dir, program),
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=_little_room,
    )
    _expect_failure(done, "File too large")
    assert not (run_dir / "run.json").exists()
    assert any(path.stat().st_size > 1 << 20 for path in run_dir.glob("*.maya"))


@pytest.mark.private_mounts
def test_a_full_disk_is_an_error_and_no_run(endless: list[str], tmp_path: Path) -> None:
    # Nothing but the process's end shows whether writing to a full disk was a fault (SIGBUS).
    listing = ["sh", "-c", '"$@"; code=$?; ls "$0" >&2; exit $code', str(tmp_path / "run")]
    done = mounted(MOUNT, tmp_path, *listing, *_emulate(tmp_path / "run", endless))
    _expect_failure(done, "No space left on device")
    assert "run.json" not in done.stderr.split()
    assert "error" in done.stderr.split()
