"""Jobs of many ranks from few processes."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).parent / "workloads"


def maya_run(
    directory: Path, environment: Mapping[str, str], cluster: str, *words: str, options: str = ""
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run `maya run` as a person would; the summary is empty when there is none."""
    run_dir = directory / "run"
    line = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "-o", str(run_dir)]
    done = subprocess.run(
        [*line, *options.split(), "--", sys.executable, "-m", "torch.distributed.run", *words],
        cwd=directory,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    print(done.stderr[-6000:])
    summary = run_dir / "summary.json"
    return done, json.loads(summary.read_text("utf-8")) if summary.exists() else {}


def test_one_process_predicts_data_parallel_on_64_gpus(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script = str(SCRIPTS / "ddp.py")
    done, summary = maya_run(
        tmp_path, workload_environment, "h100:8x8", "--nproc-per-node", "8", script
    )
    assert done.returncode == 0
    assert "launching 1 of 64 ranks: all do the same" in done.stderr
    assert summary["emulation"]["launched_ranks"] == 1
    assert summary["emulation"]["virtual_ranks"] == 63
    assert summary["gpus_used"] == 64
    assert summary["communication"]["total_ms"] > 0
