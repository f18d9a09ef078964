"""A thousand files as people have them, some in the way of what the scripts write."""

import os
import random
import sqlite3
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

_IN_THE_WAY = (
    "model.safetensors",
    "history.bin",
    "out/checkpoint-1/model.safetensors",
    "out/checkpoint-2/optimizer.pt",
    "checkpoints/last.ckpt",
    "checkpoints/epoch=0-step=1.ckpt",
    "zero/step0/mp_rank_00_model_states.pt",
    "zero/latest",
    "outputs/checkpoint/step-1/__0_0.distcp",
)


def make_users_files(root: Path, count: int = 1000) -> None:
    """Checkpoints, databases, tensors, notes, links of both kinds; the same for every call."""
    chance = random.Random(7)
    for name in _IN_THE_WAY:
        _write(root / name, chance.randbytes(20_000))
    makers = (_checkpoint, _database, _tensors, _note, _symbolic_link, _hard_link)
    for number in range(count - len(_IN_THE_WAY)):
        directory = root / f"project{number % 7}" / f"run{number % 13}"
        directory.mkdir(parents=True, exist_ok=True)
        makers[number % len(makers)](directory, number, chance)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _checkpoint(directory: Path, number: int, chance: random.Random) -> None:
    _write(directory / f"model{number}.pt", chance.randbytes(chance.randint(0, 30_000)))


def _database(directory: Path, number: int, chance: random.Random) -> None:
    with sqlite3.connect(directory / f"runs{number}.db") as database:
        database.execute("create table runs (loss)")
        database.executemany("insert into runs values (?)", [(chance.random(),)] * 20)
    database.close()


def _tensors(directory: Path, number: int, chance: random.Random) -> None:
    values = np.full((chance.randint(1, 99), 9), number, np.float32)
    save_file({"weight": values}, directory / f"shard{number}.safetensors")


def _note(directory: Path, number: int, _: random.Random) -> None:
    path = directory / f"notes {number}.txt"
    path.write_text(f"run {number}\n")
    path.chmod(0o444 if number % 2 else 0o640)


def _symbolic_link(directory: Path, number: int, _: random.Random) -> None:
    (directory / f"latest{number}").symlink_to(
        ("..", f"notes {number - 1}.txt", "/nowhere")[number % 3]
    )


def _hard_link(directory: Path, number: int, _: random.Random) -> None:
    original = directory / f"original{number}"
    original.write_bytes(bytes(number))
    os.link(original, directory / f"same{number}")
