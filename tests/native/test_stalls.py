"""Only ranks that are proven to wait for each other end the job."""

import os
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes import build, environment

CASES = ("cycle", "sleeper", "latecomer", "sleeping_main_thread", "reads", "computes")
WAITING = r"rank {} in ncclBroadcast of 1 int64"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The run directory of each case; they mostly sleep, so all run at once."""
    out = tmp_path_factory.mktemp("stalls")
    libraries = ["libnccl.so.2", "libcudart.so.12"]
    program = build("nccl/stalls.cpp", out / "stalls", libraries, extra=["-pthread"])
    directories = {case: out / f"run-{case}" for case in CASES}
    with ThreadPoolExecutor(len(CASES)) as pool:
        list(pool.map(lambda case: run(program, case, directories[case]), CASES))
    return directories


def run(program: Path, case: str, run_dir: Path) -> None:
    """Until the ranks end, or say why they cannot."""
    run_dir.mkdir()
    env = environment(run_dir, MAYA_STALL_SECONDS="2", MAYA_EXCHANGE_TIMEOUT="60")
    process = subprocess.Popen([program, case], env=env, start_new_session=True)
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        if (run_dir / "failure").exists():
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.05)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    (run_dir / "code").write_text(str(process.wait()))


def test_ranks_that_wait_for_each_other_are_found_and_named(runs: dict[str, Path]) -> None:
    said = (runs["cycle"] / "failure").read_text()
    assert said.startswith("the ranks wait for each other: ")
    assert all(re.search(WAITING.format(rank), said) for rank in (0, 1))


@pytest.mark.parametrize("case", ["sleeper", "latecomer", "sleeping_main_thread"])
def test_a_rank_that_sleeps_or_has_not_come_is_waited_for(runs: dict[str, Path], case: str) -> None:
    assert not (runs[case] / "failure").exists()
    assert (runs[case] / "code").read_text() == "0"


@pytest.mark.parametrize("case", ["reads", "computes"])
def test_ranks_live_while_a_child_of_one_works(runs: dict[str, Path], case: str) -> None:
    ended, failed = (runs[case] / name for name in ("child-ended", "failure"))
    assert failed.read_text().startswith("the ranks wait for each other: ")
    assert failed.stat().st_mtime > ended.stat().st_mtime + 1
