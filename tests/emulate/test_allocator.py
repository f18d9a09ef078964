"""What PyTorch's allocator holds, seen from outside the script."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from maya.errors import ExitCode

SCRIPTS = Path(__file__).parent / "workloads"
MIB = 1 << 20


def predicted(
    directory: Path, environment: dict[str, str], *command: str, cluster: str = "h100:1"
) -> tuple[int, dict[str, Any], str]:
    line = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "-o", str(directory / "run")]
    done = subprocess.run(
        [*line, "--", sys.executable, *command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    summary = json.loads((directory / "run" / "summary.json").read_text())
    return done.returncode, summary, done.stderr


def test_peak_of_a_known_model_is_exact(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    status, summary, stderr = predicted(
        tmp_path, workload_environment, str(SCRIPTS / "known_memory.py")
    )
    assert status == ExitCode.OK, stderr
    memory = summary["memory"]
    told = json.loads((tmp_path / "run" / "told.json").read_text())
    assert memory["peak_allocated_bytes"] == told["peak_allocated"]
    held = memory["peak"]["categories"]
    assert held["parameters"] == told["parameters"]
    assert held["optimizer state"] == 2 * told["parameters"]
    layers_and_input = 9 * 4096 * 1024 * 4  # what backward needs: the input and every output
    assert 0 <= held["activations and temporaries"] - layers_and_input < MIB
    assert sum(held.values()) == memory["peak_allocated_bytes"]
    assert any("known_memory.py" in place["line"] for place in memory["peak"]["lines"])
    assert memory["peak_reserved_bytes"] >= memory["peak_allocated_bytes"]


def test_out_of_memory_is_a_result(tmp_path: Path, workload_environment: dict[str, str]) -> None:
    status, summary, stderr = predicted(tmp_path, workload_environment, str(SCRIPTS / "oom.py"))
    assert status == ExitCode.OUT_OF_MEMORY
    assert summary["step"] is None
    memory = summary["memory"]
    assert memory["oom"]
    assert (
        memory["missing_bytes"]
        == memory["failure"]["asked_bytes"] - memory["failure"]["free_bytes"]
    )
    assert "oom.py:10" in memory["failure"]["line"]
    assert "does not fit" in stderr


def test_a_history_that_the_program_began_before_the_device_is_whole(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    told = tmp_path / "told.json"
    options = ["--steps", "0", "--allow-writes", "-o", str(tmp_path / "run")]
    script = str(SCRIPTS / "own_history.py")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "maya",
            "emulate",
            *options,
            "--",
            sys.executable,
            script,
            str(told),
        ],
        env={**os.environ, **workload_environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    actions = json.loads(told.read_text())
    assert actions.count("alloc") > 10
    assert "segment_alloc" in actions
