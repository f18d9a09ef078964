"""Processes that a program starts beside its ranks are recorded and left out of the step."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent / "workloads" / "helpers.py"


def run(
    directory: Path, env: dict[str, str], cluster: str, *command: str
) -> tuple[str, dict[str, Any]]:
    line = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "-o", str(directory / "run")]
    done = subprocess.run(
        [*line, "--max-seconds", "90", "--", sys.executable, *command],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr, json.loads((directory / "run" / "summary.json").read_text("utf-8"))


def helpers_in(summary: dict[str, Any]) -> list[str]:
    """Their commands, those of multiprocessing last."""
    assert summary["step"]["time_ms"] > 0
    helpers = summary["emulation"]["helpers"]
    commands = sorted((h["command"] for h in helpers), key=lambda text: "multiprocessing" in text)
    assert any(f"{len(commands)} other process(es)" in note for note in summary["notes"])
    return commands


def test_processes_beside_a_rank_are_named_and_left_out_even_where_they_fail(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    torchrun = ("-m", "torch.distributed.run", "--nproc-per-node", "2")
    said, summary = run(tmp_path, workload_environment, "h100:2", *torchrun, str(SCRIPT), "all")
    assert "no_such_module" in said
    assert summary["gpus_used"] == 2
    probe, *spawned = helpers_in(summary)
    assert "get_device_name" in probe
    assert len(spawned) == 3  # an evaluation and two workers of the data loader
    assert all("multiprocessing.spawn" in command for command in spawned)


def test_a_process_that_only_looks_and_starts_the_training_is_left_out(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    _, summary = run(tmp_path, workload_environment, "h100:1", str(SCRIPT), "wrapper")
    assert summary["gpus_used"] == 1
    commands = helpers_in(summary)
    assert len(commands) == 2
    assert any("get_device_name" in command for command in commands)
    assert any(command.strip().endswith("helpers.py wrapper") for command in commands)
