"""torchtitan's debug models, with a tokenizer and a text made here."""

from pathlib import Path

import pytest
from few_and_all import hold_few_against_all
from launch import train
from steps import collectives
from titan_assets import make_assets


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(
            "--parallelism.data_parallel_shard_degree 2",
            {"ncclAllGather", "ncclReduceScatter"},
            id="sharded",
        ),
        pytest.param(
            "--parallelism.tensor_parallel_degree 2",
            {"ncclAllGather", "ncclReduceScatter"},
            id="tensor",
        ),
        pytest.param(
            "--parallelism.pipeline_parallel_degree 2"
            " --parallelism.pipeline_parallel_schedule 1F1B",
            {"ncclSend", "ncclRecv"},
            id="pipeline",
        ),
    ],
)
def test_llama_trains(
    arguments: str,
    expected: set[str],
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    assets = make_assets(tmp_path, lines=200, repeats=40)
    outcome = train(
        "torchtitan.train",
        f"--model.name llama3 --model.flavor debugmodel --training.seq_len 128"
        f" --training.local_batch_size 4 --training.steps 600000 {assets} {arguments}",
        python_frameworks,
        tmp_path,
        frameworks_environment,
    )
    found = set().union(*(collectives(capture) for capture in outcome.run.captures))
    assert expected <= found, found


def test_one_rank_predicts_what_all_predict_of_expert_parallelism(
    tmp_path: Path, python_frameworks: Path, frameworks_environment: dict[str, str]
) -> None:
    """DeepSeek V3 divides tokens by counts that its ranks exchange."""
    assets = make_assets(tmp_path, lines=200, repeats=40)
    words = (
        "-m torchtitan.train --model.name deepseek_v3 --model.flavor debugmodel"
        " --training.seq_len 128 --training.local_batch_size 4 --training.steps 600000"
        f" --parallelism.expert_parallel_degree 2 {assets}"
    )
    hold_few_against_all(tmp_path, frameworks_environment, 2, 1, words.split(), python_frameworks)
