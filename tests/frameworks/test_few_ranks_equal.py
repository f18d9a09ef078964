"""A prediction from one rank of a framework's job equals the prediction from all of them."""

from pathlib import Path

import pytest
from few_and_all import hold_few_against_all
from launch import ROOT, WORKLOADS

JOBS = {
    "megatron-tensor": f"{ROOT}/examples/train_megatron.py --layers 2 --tp 2 --sequence-parallel",
    "megatron-optimizer": f"{ROOT}/examples/train_megatron.py --layers 2 --distributed-optimizer"
    " --overlap-grad-reduce --overlap-param-gather",
    "deepspeed-bf16": f"{WORKLOADS}/deepspeed_engine.py --stage 1 --accumulate fp32",
    "deepspeed-zero3": f"{WORKLOADS}/deepspeed_engine.py --stage 3",
}

# Eight stages, of which six are launched; first and last share their embeddings.
PIPELINES = {
    "megatron-1f1b": f"{ROOT}/examples/train_megatron.py --layers 16 --pp 8 --global-batch 24",
    "megatron-interleaved": f"{ROOT}/examples/train_megatron.py --layers 32 --pp 8 --vpp 2"
    " --global-batch 24",
}


@pytest.mark.parametrize("command", JOBS.values(), ids=JOBS.keys())
def test_one_rank_predicts_what_all_predict(
    command: str,
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    words = command.split()
    hold_few_against_all(tmp_path, frameworks_environment, 2, 1, words, python_frameworks)


@pytest.mark.long
@pytest.mark.parametrize("command", PIPELINES.values(), ids=PIPELINES.keys())
def test_few_stages_predict_what_all_predict(
    command: str,
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    environment = {**frameworks_environment, "MAYA_EQUAL_STAGES": "8"}
    hold_few_against_all(tmp_path, environment, 8, 6, command.split(), python_frameworks)
