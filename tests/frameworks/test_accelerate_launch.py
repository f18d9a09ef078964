"""`accelerate launch` is understood: its ranks are started by us, and only those that differ."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from launch import WORKLOADS
from steps import collectives

from maya.trace import collect

DEEPSPEED = """
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  zero_stage: 2
  gradient_accumulation_steps: 1
  deepspeed_multinode_launcher: pdsh
mixed_precision: bf16
num_machines: 2
num_processes: 4
main_process_ip: 10.0.0.1
"""


@pytest.mark.parametrize(
    ("options", "config", "sharding", "expected"),
    [
        pytest.param(
            "--use_fsdp --fsdp_version 2 --fsdp_auto_wrap_policy SIZE_BASED_WRAP"
            " --fsdp_min_num_params 1000 --mixed_precision bf16 --num_machines 2 --num_processes 4",
            "",
            "FSDP",
            {"ncclAllGather", "ncclReduceScatter"},
            id="fsdp-by-options",
        ),
        pytest.param(
            "--config_file config.yaml",
            DEEPSPEED,
            "DEEPSPEED",
            {"ncclAllGather"},
            id="deepspeed-by-file",
        ),
    ],
)
def test_one_rank_stands_for_all_that_accelerate_would_start(
    options: str,
    config: str,
    sharding: str,
    expected: set[str],
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    (tmp_path / "config.yaml").write_text(config, encoding="utf-8")
    maya = [sys.executable, "-m", "maya", "run", "--cluster", "h100:2x2", "-o", "run", "--steps=2"]
    launch = [str(python_frameworks), "-m", "accelerate.commands.launch", *options.split()]
    done = subprocess.run(
        [*maya, "--", *launch, str(WORKLOADS / "accelerate_configured.py")],
        cwd=tmp_path,
        env={**os.environ, **frameworks_environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "launching 1 of 4 ranks" in done.stderr
    assert f"DistributedType.{sharding} of 4" in done.stdout
    (capture,) = collect(tmp_path / "run").captures
    assert expected <= collectives(capture).keys()
    summary = json.loads((tmp_path / "run/summary.json").read_text("utf-8"))
    assert summary["gpus_used"] == 4
    assert not (tmp_path / ".deepspeed_env").exists()
