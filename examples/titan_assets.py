"""A tokenizer and a text for torchtitan, made here: nothing is downloaded.

`python examples/titan_assets.py DIRECTORY` writes them and prints the options that name them.
"""

import json
import sys
from pathlib import Path

WORDS = [
    "[UNK]",
    "<bos>",
    "<eos>",
    *["the", "cat", "sat", "on", "a", "mat", "and", "it", "was", "fat"],
]


def make_assets(directory: Path, *, lines: int, repeats: int) -> str:
    """A word-level tokenizer and a data set of one file, as torchtitan reads them from disk.

    Ranks share the lines out between them, and read theirs again where a step needs more.
    """
    tokenizer, data = directory / "tokenizer", directory / "data"
    tokenizer.mkdir(parents=True, exist_ok=True)
    data.mkdir(parents=True, exist_ok=True)
    (tokenizer / "tokenizer.json").write_text(json.dumps(_tokenizer()), encoding="utf-8")
    special = {"bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "[UNK]"}
    (tokenizer / "tokenizer_config.json").write_text(json.dumps(special), encoding="utf-8")
    line = json.dumps({"text": " ".join(WORDS[3:] * repeats)})
    (data / "train.jsonl").write_text("\n".join([line] * lines), encoding="utf-8")
    return (
        f"--model.hf_assets_path {tokenizer} --training.dataset c4_test"
        f" --training.dataset_path {data}"
    )


def _tokenizer() -> dict[str, object]:
    """Words are what spaces part, as the tokenizers library reads it."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    unused = ("truncation", "padding", "normalizer", "post_processor", "decoder")
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": model,
        **dict.fromkeys(unused),
    }


if __name__ == "__main__":
    print(make_assets(Path(sys.argv[1]).resolve(), lines=1024, repeats=1000))
