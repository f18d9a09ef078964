"""Jobs whose processes the script starts itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "workloads" / "spawned_ddp.py"


def test_processes_without_rank_variables_are_one_job(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    line = [sys.executable, "-m", "maya", "run", "--cluster", "h100:2", "-o", str(tmp_path / "run")]
    done = subprocess.run(
        [*line, "--steps", "2", "--", sys.executable, str(SCRIPT), str(tmp_path / "store")],
        env={**os.environ, **workload_environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert summary["gpus_used"] == 2
    assert summary["step"]["time_ms"] > 0
    assert summary["communication"]["total_ms"] > 0
