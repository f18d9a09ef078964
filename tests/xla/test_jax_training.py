"""JAX, unmodified. Needs `.venv-jax` (Makefile) and minutes, as XLA compiles."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from maya.simulator.steps import find_windows
from maya.trace import collect
from maya.trace.format import Kind

ROOT = Path(__file__).resolve().parents[2]
JAX = Path(os.environ.get("MAYA_JAX", ROOT / ".venv-jax")) / "bin/python"
WORKLOADS = Path(__file__).parent / "workloads"

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


def _predicted(script: str, cluster: str, out: Path) -> dict[str, Any]:
    if not JAX.exists():
        pytest.fail(f"no {JAX}; `make test-long` makes it")
    options = [
        "--cluster",
        cluster,
        "--max-seconds",
        "900",
        "-o",
        str(out),
        "--json",
        f"{out}.json",
    ]
    command = [sys.executable, "-m", "maya", "run", *options, "--", str(JAX)]
    done = subprocess.run(
        [*command, str(WORKLOADS / script)], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "stopped after enough steps" in done.stderr
    return dict(json.loads(Path(f"{out}.json").read_text()))


def test_a_gpt_in_flax_shows_its_step_and_what_it_needs_of_xla_s_pool(tmp_path: Path) -> None:
    found = _predicted("flax_gpt.py", "h100:1", tmp_path / "run")
    [capture] = collect(tmp_path / "run").captures
    [window] = find_windows([capture])
    batches = [
        d.id
        for d in capture.definitions()
        if d.kind == Kind.COPY and d.number("bytes") == 4 * 129 * 4
    ]
    fed = [int(d) in batches for d in capture.events["def"][window.boundaries[0] : window.end]]
    assert abs(sum(fed) - (len(window.boundaries) - 1)) <= 1  # a batch a step
    assert found["step"]["steady"]
    assert 0.1 < found["step"]["time_ms"] < 10
    parameters_and_adam = 3 * 4 * 2_000_000
    assert parameters_and_adam < found["memory"]["peak_reserved_bytes"] < 2 << 30


def test_a_process_with_two_gpus_shows_its_step(tmp_path: Path) -> None:
    found = _predicted("two_devices.py", "h100:2", tmp_path / "run")
    assert found["gpus_used"] == 2
    assert found["step"]["steady"]
    # Forward and backward of six products on each GPU; the first needs no gradient of its input.
    expected = 2 * (6 * 3 - 1) * 2 * 256 * 1024 * 1024
    assert found["model_flops_per_step"] == pytest.approx(expected, rel=0.1)
