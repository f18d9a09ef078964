"""Small made-up data sets and models, so that no program needs the network."""

import csv
import json
import os
import pickle
import random
import struct
import subprocess
import sys
from pathlib import Path

from maya.emulator.native import native_dir

_WORDS = [f"w{number}" for number in range(1000)]
_TEXTS, _LENGTH = 2000, 160
_PICTURES, _CLASSES = 96, "abcdef"


def make_data(directory: Path) -> None:
    """Once; a directory that is whole is kept."""
    done = directory / "done"
    if done.exists():
        return
    chance = random.Random(0)
    for make in (_texts, _pairs, _characters, _pictures, _boxes, _digits, _models):
        make(directory, chance)
    done.touch()


def _texts(directory: Path, chance: random.Random) -> None:
    lines = [_sentence(chance, _LENGTH) for _ in range(_TEXTS)]
    _write_rows(directory / "text/train.jsonl", [{"text": line} for line in lines])
    (directory / "text/train.txt").write_text("\n".join(lines), "utf-8")
    (directory / "words").mkdir()
    for name in ("train", "valid", "test"):
        (directory / f"words/{name}.txt").write_text("\n".join(lines[:300]), "utf-8")
    with (directory / "text/pairs.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sentence1", "sentence2", "label"])
        for line in lines:
            rows.writerow([line, _sentence(chance, 20), f"label{chance.randrange(2)}"])


def _pairs(directory: Path, chance: random.Random) -> None:
    answers = [
        {key: _sentence(chance, 24) for key in ("prompt", "chosen", "rejected")} for _ in range(500)
    ]
    _write_rows(directory / "preference/train.jsonl", answers)
    _write_rows(directory / "prompts/train.jsonl", [{"prompt": a["prompt"]} for a in answers])
    instructions = [
        {"instruction": a["prompt"], "input": "", "output": a["chosen"]} for a in answers
    ]
    factory = directory / "factory"
    factory.mkdir()
    (factory / "made.json").write_text(json.dumps(instructions), "utf-8")
    (factory / "dataset_info.json").write_text('{"made": {"file_name": "made.json"}}', "utf-8")
    summaries = [{"text": _sentence(chance, 60), "summary": a["prompt"]} for a in answers]
    _write_rows(directory / "summaries/train.jsonl", summaries)


def _characters(directory: Path, chance: random.Random) -> None:
    """As nanoGPT's shakespeare_char: 16-bit tokens, of 65."""
    import numpy as np

    target = directory / "characters"
    target.mkdir(parents=True)
    for name in ("train", "val"):
        tokens = np.array([chance.randrange(65) for _ in range(100_000)], np.uint16)
        tokens.tofile(target / f"{name}.bin")
    with (target / "meta.pkl").open("wb") as file:
        pickle.dump({"vocab_size": 65, "itos": {}, "stoi": {}}, file)


def _pictures(directory: Path, chance: random.Random) -> None:
    for split in ("train", "val"):
        for number in range(_PICTURES):
            _picture(
                directory / f"pictures/{split}/{_CLASSES[number % len(_CLASSES)]}/{number}.jpg",
                chance,
            )


def _boxes(directory: Path, chance: random.Random) -> None:
    for number in range(_PICTURES):
        _picture(directory / f"boxes/images/train/{number}.jpg", chance)
        label = directory / f"boxes/labels/train/{number}.txt"
        label.parent.mkdir(parents=True, exist_ok=True)
        label.write_text(f"{number % 2} 0.5 0.5 0.4 0.4\n", "utf-8")
    described = {"path": str(directory / "boxes"), "train": "images/train", "val": "images/train"}
    (directory / "boxes/data.yaml").write_text(
        json.dumps({**described, "names": {0: "a", 1: "b"}}), "utf-8"
    )


def _digits(directory: Path, chance: random.Random) -> None:
    """As torchvision's MNIST keeps them: a magic number, sizes, bytes."""
    for name, count in (("train", 2048), ("t10k", 512)):
        pictures = struct.pack(">4i", 2051, count, 28, 28) + chance.randbytes(count * 28 * 28)
        labels = struct.pack(">2i", 2049, count) + bytes(chance.choices(range(10), k=count))
        raw = directory / "MNIST/raw"
        raw.mkdir(parents=True, exist_ok=True)
        (raw / f"{name}-images-idx3-ubyte").write_bytes(pictures)
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(labels)


def _picture(path: Path, chance: random.Random) -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    colour = tuple(chance.randrange(256) for _ in range(3))
    Image.new("RGB", (96, 96), colour).save(path)


def _models(directory: Path, _chance: random.Random) -> None:
    """In a process of its own: PyTorch's CUDA build cannot be imported without the libraries."""
    script = Path(__file__).parent / "models.py"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(native_dir())}
    command = [sys.executable, script, directory / "models", *_WORDS]
    subprocess.run(command, env=environment, check=True)


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words))


def _write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
