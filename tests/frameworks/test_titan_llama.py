"""torchtitan's Llama 3 debug model, with a tokenizer and a text made here."""

from pathlib import Path

import pytest
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
