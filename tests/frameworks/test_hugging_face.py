"""HF Trainer and accelerate with FSDP and with DeepSpeed."""

from pathlib import Path

import pytest
from launch import WORKLOADS, train
from steps import collectives


@pytest.mark.parametrize(
    "arguments", ["trainer fsdp", "trainer deepspeed", "accelerate fsdp", "accelerate deepspeed"]
)
def test_sharded_training(
    arguments: str,
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    outcome = train(
        WORKLOADS / "hf_sharded.py",
        arguments,
        python_frameworks,
        tmp_path,
        frameworks_environment,
    )
    for capture in outcome.run.captures:
        assert "ncclAllGather" in collectives(capture)
