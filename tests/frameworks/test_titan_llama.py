"""torchtitan's Llama 3 debug model, with a tokenizer and a text made here."""

import json
from pathlib import Path

import pytest
from launch import train
from steps import collectives


def _assets(directory: Path) -> str:
    """A word-level tokenizer and a data set of one file, as torchtitan reads them from disk."""
    words = [
        "[UNK]",
        "<bos>",
        "<eos>",
        *["the", "cat", "sat", "on", "a", "mat", "and", "it", "was", "fat"],
    ]
    tokenizer, data = directory / "tokenizer", directory / "data"
    tokenizer.mkdir()
    data.mkdir()
    vocabulary = {word: number for number, word in enumerate(words)}
    (tokenizer / "vocab.json").write_text(json.dumps(vocabulary))
    special = {"bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "[UNK]"}
    (tokenizer / "tokenizer_config.json").write_text(json.dumps(special))
    line = json.dumps({"text": " ".join(words[3:] * 40)})
    (data / "train.jsonl").write_text("\n".join([line] * 200))
    return (
        f"--model.hf_assets_path {tokenizer} --training.dataset c4_test"
        f" --training.dataset_path {data}"
    )


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
    outcome = train(
        "torchtitan.train",
        f"--model.name llama3 --model.flavor debugmodel --training.seq_len 128"
        f" --training.local_batch_size 4 --training.steps 600000 {_assets(tmp_path)} {arguments}",
        python_frameworks,
        tmp_path,
        frameworks_environment,
    )
    found = set().union(*(collectives(capture) for capture in outcome.run.captures))
    assert expected <= found, found
