"""A program that a warm server forked ends as one that was started."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maya.emulator.warm import SERVER_LOST, WARM, WarmServer, warmed
from maya.hardware import find_gpu

SCRIPT = """
import atexit, ctypes, sys
ctypes.CDLL(None).puts(b"written by C")
atexit.register(lambda: print("cleaned up"))
if sys.argv[1] == "fail":
    raise RuntimeError("too large")
sys.exit(int(sys.argv[1]))
"""


def test_a_forked_program_fails_with_the_words_and_the_code_of_a_fresh_one(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    fail, leave = ([sys.executable, str(script), word] for word in ("fail", "3"))
    fresh = subprocess.run(fail, capture_output=True)
    server = WarmServer(fail, {}, gpu=find_gpu("t4"), gpus=1)
    try:
        assert server.wait()
        words, env = warmed(fail, {WARM: str(server.directory)})
        assert words != fail
        forked = subprocess.run(words, env=env, capture_output=True)
        words, env = warmed(leave, {WARM: str(server.directory)})
        left = subprocess.run(words, env=env, capture_output=True)
    finally:
        server.close()
    assert b"too large" in forked.stderr
    assert (forked.returncode, forked.stdout, forked.stderr) == (1, fresh.stdout, fresh.stderr)
    assert sorted(fresh.stdout.split(b"\n")) == [b"", b"cleaned up", b"written by C"]
    assert (left.returncode, left.stdout) == (3, fresh.stdout)


def test_no_directory_is_there_before_somebody_is_about_to_remove_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def asked(interpreter: str) -> None:
        seen.extend([interpreter, *tmp_path.glob("maya-*")])

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("maya.emulator.warm.find_torch", asked)  # takes seconds: kills come here
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    WarmServer([sys.executable, str(script), "3"], {}, gpu=find_gpu("t4"), gpus=1).close()
    assert seen == [sys.executable]


def test_a_client_that_dies_in_the_handshake_leaves_a_server_that_serves(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    leave = [sys.executable, str(script), "3"]
    server = WarmServer(leave, {}, gpu=find_gpu("t4"), gpus=1)
    try:
        assert server.wait()
        for said in (b"", b"12", (100).to_bytes(8, "little") + b"{"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.connect(str(server.directory / "plain.sock"))
                client.sendall(said)
        words, env = warmed(leave, {WARM: str(server.directory)})
        left = subprocess.run(words, env=env, capture_output=True, timeout=60)
    finally:
        server.close()
    assert left.returncode == 3


def test_a_client_that_dies_right_after_the_handshake_takes_its_program_along(
    tmp_path: Path,
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, time; time.sleep(60 if sys.argv[1] == 'stay' else 0)")
    stay, leave = ([sys.executable, str(script), word] for word in ("stay", "leave"))
    server = WarmServer(leave, {}, gpu=find_gpu("t4"), gpus=1)
    try:
        assert server.wait()
        for _ in range(3):  # the fork is hardly ever the leader of its group when this is heard
            ask_and_die(server.directory / "plain.sock", stay)
        words, env = warmed(leave, {WARM: str(server.directory)})
        assert subprocess.run(words, env=env, timeout=30).returncode == 0
    finally:
        server.close()


def ask_and_die(path: Path, words: list[str]) -> None:
    """What a client says that is killed while the server does something else."""
    run = {"argv": words, "env": dict(os.environ), "directory": str(path.parent)}
    said = json.dumps(run).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(path))
        socket.send_fds(client, [len(said).to_bytes(8, "little")], [0, 1, 2])
        client.sendall(said)


def test_a_run_whose_server_is_killed_tells_that_from_the_programs_end(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    # It ignores SIGTERM, as some programs do.
    script.write_text(
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True); time.sleep(60)"
    )
    server = WarmServer([sys.executable, str(script)], {}, gpu=find_gpu("t4"), gpus=1)
    try:
        assert server.wait()
        words, env = warmed([sys.executable, str(script)], {WARM: str(server.directory)})
        with subprocess.Popen(words, env=env, stdout=subprocess.PIPE) as client:
            assert client.stdout is not None
            program = int(client.stdout.readline())
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)  # of the guard, which takes the server along
            assert client.wait(30) == SERVER_LOST
            assert has_ended(program)
        again = subprocess.run(words, env=env, timeout=30)
        assert again.returncode == SERVER_LOST
    finally:
        server.close()


def has_ended(pid: int) -> bool:
    """Within some time; whoever inherited it may not have collected it yet."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_a_program_that_is_killed_ends_as_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    server = WarmServer([sys.executable, str(script)], {}, gpu=find_gpu("t4"), gpus=1)
    try:
        assert server.wait()
        words, env = warmed([sys.executable, str(script)], {WARM: str(server.directory)})
        done = subprocess.run(words, env=env, capture_output=True, timeout=60)
    finally:
        server.close()
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, b"")
