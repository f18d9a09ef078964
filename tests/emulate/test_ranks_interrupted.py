"""Ctrl-C in a job of several ranks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from maya.trace.capture import read_capture

SCRIPT = Path(__file__).parent / "workloads/ddp.py"


def processes_of(run_dir: Path) -> list[str]:
    mark = f"MAYA_RUN_DIR={run_dir}".encode()
    found = []
    for entry in filter(lambda path: path.name.isdigit(), Path("/proc").iterdir()):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(entry.name)
        except OSError:  # has just ended, or is not ours to read
            continue
    return found


def test_ctrl_c_leaves_no_process_and_captures_that_can_be_read(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    run_dir = tmp_path / "run"
    maya = f"-m maya run --cluster h100:2 --all-ranks --steps 100000 -o {run_dir} --".split()
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "2"]
    with subprocess.Popen(
        [sys.executable, *maya, sys.executable, *torchrun, str(SCRIPT)],
        cwd=tmp_path,
        env={**os.environ, **workload_environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("step 0")
        assert len(processes_of(run_dir)) >= 2
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert processes_of(run_dir) == []
    captures = [read_capture(path) for path in sorted(run_dir.glob("*.maya"))]
    assert [capture.header.rank for capture in captures] == [0, 1]
    for capture in captures:
        capture.check()
        assert len(capture.events) > 100
