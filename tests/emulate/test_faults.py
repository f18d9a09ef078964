"""Faults of the emulating machine: each is a row of docs/reliability.md."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from private_mounts import READ_ONLY, SMALL_DISK, mounted

from maya.emulator import EmulationOptions, EmulationResult, emulate, host_memory
from maya.emulator.native import native_dir

WORKLOADS = Path(__file__).parent / "workloads"
PYTHON = sys.executable


def _maya(*words: str) -> list[str]:
    return [PYTHON, "-m", "maya", "emulate", "--no-torch-check", *words]


def _run(code: str, directory: Path, *, allow_writes: bool = False) -> EmulationResult:
    options = EmulationOptions(
        output=directory / "run", check_torch=False, allow_writes=allow_writes
    )
    return emulate([PYTHON, "-c", code], options)


@pytest.mark.private_mounts
def test_full_disk_under_held_files_is_the_programs_error_and_is_explained(tmp_path: Path) -> None:
    command = [PYTHON, "-c", "open('big', 'wb').write(bytes(20 << 20))"]
    done = mounted(SMALL_DISK, tmp_path, *_maya("-o", "run", "--", *command))
    assert "OSError: [Errno 28] No space left on device" in done.stderr
    assert "is full: what the program writes is held back there; -o names" in done.stderr
    assert done.returncode == 2


@pytest.mark.private_mounts
def test_read_only_directory_is_one_line_and_a_hint(tmp_path: Path) -> None:
    done = mounted(READ_ONLY, tmp_path, *_maya("--", PYTHON, "-c", "pass"))
    assert "Read-only file system" in done.stderr
    assert "hint: choose another directory with -o" in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert done.returncode == 1


@pytest.mark.private_mounts
def test_program_in_a_read_only_directory_is_refused_as_it_would_be(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    code = "import os\ntry: open('new', 'w')\nexcept OSError as error: print(error.strerror)"
    words = _maya("-o", str(tmp_path / "run"), "--", PYTHON, "-c", code)
    assert mounted(READ_ONLY, here, *words).stdout == "Read-only file system\n"


def test_home_that_cannot_be_written_to_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/dev/null/nobody")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    code = "import os; open(os.environ['TRITON_CACHE_DIR'] + '/kernel', 'w')"
    assert _run(code, tmp_path).exit_code == 0
    assert len(list((tmp_path / "run/caches").rglob("kernel"))) == 1


def test_lack_of_memory_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counters = tmp_path / "vmstat"
    counters.write_text("pgfault 7\noom_kill 3\n")
    monkeypatch.setattr(host_memory, "VMSTAT", counters)
    killed = "import os; os.kill(os.getpid(), 9)"
    assert not _run(killed, tmp_path).starved, "somebody else's kill"
    counted = f"open({str(counters)!r}, 'w').write('oom_kill 4'); {killed}"
    result = _run(counted, tmp_path, allow_writes=True)
    assert result.starved
    assert result.exit_code == -9


WITH_A_WORKER = """
import multiprocessing, os, signal, sys, time
context = multiprocessing.get_context(sys.argv[1])
worker = context.Process(target=time.sleep, args=(60,))
worker.start()
worker.kill() if sys.argv[2] == "by itself" else os.system(f"kill -9 {worker.pid}")
worker.join()
sys.exit(worker.exitcode != 0)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("who", ["by itself", "by somebody"])
def test_a_killed_worker_of_the_program_is_told_from_its_own_failure(
    tmp_path: Path, method: str, who: str
) -> None:
    options = EmulationOptions(output=tmp_path / "run", check_torch=False)
    result = emulate([PYTHON, "-c", WITH_A_WORKER, method, who], options)
    assert (result.exit_code, result.ended_by) == (1, "script")
    assert (result.killed_child is not None) == (who == "by somebody")


# No C library at all, so that none is needed for static programs.
STATIC = """
static long call(long number, const void* a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}
void _start(void) {
  call(2, "model.pt", 01 | 0100 | 01000, 0644); /* open: write, create, empty */
  call(60, 0, 0, 0);
}
"""


def test_static_program_that_is_started_first_changes_no_file_and_is_explained(
    tmp_path: Path,
) -> None:
    (tmp_path / "empty.c").write_text(STATIC)
    words = ["gcc", "-static", "-nostdlib", "-o", "empty", "empty.c"]
    subprocess.run(words, check=True, cwd=tmp_path)
    (tmp_path / "model.pt").write_text("weights")
    command = _maya("-o", "run", "--", str(tmp_path / "empty"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (tmp_path / "model.pt").read_text() == "weights"
    assert done.returncode == 2
    assert "killed by SIGSYS" in done.stderr
    assert "static program" in done.stderr
    assert "--allow-writes" in done.stderr


CLOCK = """
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
static long hours;
int clock_gettime(clockid_t clock, struct timespec* out) {
  int result = syscall(SYS_clock_gettime, clock, out);
  if (clock == CLOCK_REALTIME) out->tv_sec += ((hours++ % 3) - 1) * 7200;
  return result;
}
"""


def test_clock_that_jumps_by_hours_changes_no_deadline(tmp_path: Path) -> None:
    clock, program = tmp_path / "clock.so", tmp_path / "endless"
    (tmp_path / "clock.c").write_text(CLOCK)
    library = native_dir() / "libcudart.so.12"
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "clock.c", "-o", clock], check=True)
    options = ["-std=c11", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["gcc", *options, WORKLOADS / "endless.c", "-o", program, library], check=True)
    words = _maya("--steps", "0", "--max-seconds", "5", "-o", str(tmp_path / "run"))
    done = subprocess.run(
        ["env", f"LD_PRELOAD={clock}", *words, "--", str(program)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "no steady step until --max-seconds" in done.stderr
    seconds = float(done.stderr.partition(" after ")[2].split()[0])
    assert 1 < seconds < 30  # a busy machine takes its part of them before the program begins


def test_held_files_go_when_maya_is_killed(tmp_path: Path) -> None:
    code = "import time; open('big', 'wb').write(bytes(1 << 20)); print('written', flush=True)"
    words = _maya("-o", "run", "--", PYTHON, "-c", f"{code}; time.sleep(60)")
    maya = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert maya.stdout is not None
    assert maya.stdout.readline() == "written\n"
    held = tmp_path / "run/held-files"
    assert held.exists()
    maya.kill()
    maya.wait()
    maya.stdout.close()
    deadline = time.monotonic() + 10
    while held.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not held.exists()
