"""The virtual clock, without any device: programs that read it, sleep and wait."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maya.emulator.native import CLOCK, native_dir
from maya.emulator.virtual_clock import HostCosts, VirtualClock
from maya.rundir import RunDirectory

REAL = "import ctypes, time; real = lambda: float(open('/proc/uptime').read().split()[0])\n"


@pytest.fixture
def shown(tmp_path: Path):
    """Function from a program to what it prints under the clock."""

    def run(
        program: str, pace: float = 1.0, seconds: int = 60, patient: bool = False
    ) -> list[float]:
        clock = VirtualClock(
            lambda _: HostCosts(pace, {}), lambda *_: pytest.fail("nobody asks"), patient
        )
        env = os.environ | clock.environment(RunDirectory(tmp_path))
        env["LD_PRELOAD"] = str(native_dir() / CLOCK)
        command = [sys.executable, "-S", "-c", REAL + program]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=seconds)
        assert done.returncode == 0, done.stderr
        return [float(word) for word in done.stdout.split()]

    return run


def test_a_sleep_passes_on_every_clock_and_takes_no_time(shown):
    program = """
clocks = (time.time, time.monotonic, time.perf_counter)
began, before = real(), [clock() for clock in clocks]
time.sleep(3600)
print(*(clock() - start for clock, start in zip(clocks, before)), real() - began)
"""
    *passed, really = shown(program)
    assert [round(seconds) for seconds in passed] == [3600, 3600, 3600]
    assert really < 30


def test_cpu_time_passes_at_the_pace_of_the_targets_host(shown):
    program = """
before, cpu = time.perf_counter(), time.thread_time()
while time.thread_time() - cpu < 0.2: sum(range(1000))
print(time.perf_counter() - before)
"""
    [passed] = shown(program, pace=5.0)
    assert passed == pytest.approx(1.0, rel=0.1)


def test_sleepers_wake_in_the_order_of_their_ends(shown):
    program = """
import threading
woken = []
def rest(seconds):
    time.sleep(seconds)
    woken.append(seconds)
threads = [threading.Thread(target=rest, args=(s,)) for s in (300, 100, 200)]
before = time.monotonic()
[t.start() for t in threads]; [t.join() for t in threads]
print(*woken, time.monotonic() - before)
"""
    *woken, passed = shown(program)
    assert woken == [100, 200, 300]
    assert passed == pytest.approx(300, rel=0.01)


def test_a_sleeper_does_not_overtake_a_thread_that_computes(shown):
    program = """
import threading
end = []
def rest():
    time.sleep(0.5)
    end.append(real())
thread = threading.Thread(target=rest)
began, cpu = real(), time.thread_time()
thread.start()
while time.thread_time() - cpu < 0.3: sum(range(1000))
busy = real()
thread.join()
print(end[0] - busy)
"""
    [after] = shown(program)
    assert after >= 0


def test_a_wait_that_nobody_ends_ends_and_its_time_has_passed(shown):
    program = """
import select, threading
before = time.monotonic()
condition = threading.Condition()
with condition: condition.wait(0.3)
threading.Semaphore(0).acquire(timeout=0.3)
select.select([], [], [], 400)
print(time.monotonic() - before)
"""
    [passed] = shown(program)
    assert 400.6 <= passed < 402


def test_processes_of_a_job_share_its_time(shown):
    program = """
import os
before = time.time()
child = os.fork()
if not child:
    time.sleep(50)
    os._exit(0)
os.waitpid(child, 0)
time.sleep(0.001)
print(time.time() - before)
"""
    [passed] = shown(program)
    assert passed == pytest.approx(50, rel=0.01)


WAITS = {
    "semaphore": "threading.Semaphore(0).acquire(timeout=900)",
    "queue": "wait_for(queue.SimpleQueue().get, 900)",
    "select": "select.select([reader], [], [], 900)",
    "poll": "poller = select.poll(); poller.register(reader, select.POLLIN); poller.poll(900_000)",
    "epoll": "poller = select.epoll(); poller.register(reader, select.EPOLLIN); poller.poll(900)",
    "asyncio": "asyncio.run(asyncio.sleep(900))",
}


@pytest.mark.parametrize("wait", WAITS)
def test_a_patient_jobs_waits_take_virtual_time_only(shown, wait: str):
    program = f"""
import asyncio, contextlib, os, queue, select, threading
def wait_for(get, seconds):
    with contextlib.suppress(queue.Empty): get(timeout=seconds)
reader, writer = os.pipe()
began, before = real(), time.monotonic()
{WAITS[wait]}
print(time.monotonic() - before, real() - began)
"""
    passed, really = shown(program, patient=True)
    assert passed == pytest.approx(900, rel=0.01)
    assert really < 60


@pytest.mark.parametrize("other", ["thread", "process"])
def test_a_patient_wait_ends_when_another_one_wakes_it(shown, other: str):
    program = f"""
import multiprocessing, os, select, threading
reader, writer = os.pipe()
def write():
    time.sleep(40)
    os.write(writer, b"x")
kind = threading.Thread if {other!r} == "thread" else multiprocessing.Process
kind(target=write).start()
before = time.monotonic()
found = select.select([reader], [], [], 900)[0]
print(len(found), time.monotonic() - before)
"""
    found, passed = shown(program, patient=True)
    assert found == 1
    assert passed == pytest.approx(40, rel=0.05)


def test_a_killed_sleeper_does_not_stop_the_clock(shown):
    program = """
import multiprocessing, os, signal
child = multiprocessing.Process(target=time.sleep, args=(100,))
child.start()
cpu = time.process_time()
while time.process_time() - cpu < 0.3: sum(range(1000))
os.kill(child.pid, signal.SIGKILL)  # and nobody asks how it ended
before = time.monotonic()
time.sleep(500)
print(time.monotonic() - before)
"""
    [passed] = shown(program, patient=True)
    assert passed == pytest.approx(500, rel=0.01)


def test_a_thread_that_never_looks_at_the_clock_moves_it(shown):
    """Sleepers go on while others compute."""
    program = """
import hashlib, threading
def compute():
    for _ in range(40): hashlib.pbkdf2_hmac("sha256", b"a", b"b", 200_000)
threading.Thread(target=compute, daemon=True).start()
before, began = time.monotonic(), real()
time.sleep(1)
print(time.monotonic() - before)
os = __import__("os"); import sys; sys.stdout.flush(); os._exit(0)
"""
    [passed] = shown(program, patient=True)
    assert passed >= 1


def test_without_a_page_the_clock_is_the_machines(tmp_path: Path):
    env = os.environ | {"LD_PRELOAD": str(native_dir() / CLOCK)}
    ask = "import time; a = time.time(); time.sleep(0.2); print(time.time() - a)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", ask], env=env, capture_output=True, text=True
    )
    assert float(done.stdout) >= 0.2
