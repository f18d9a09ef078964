"""Which ranks of the job are processes, and who answers for the others."""

import os
from collections import Counter
from collections.abc import Sequence


def _read() -> "list[int]":
    with open(os.environ["MAYA_REPRESENTATIVES"], encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


REPRESENTATIVE = _read()
WORLD_SIZE = len(REPRESENTATIVE)
RANK = int(os.environ.get("RANK", "0"))
LAUNCHED = tuple(rank for rank, who in enumerate(REPRESENTATIVE) if rank == who)
# How many ranks each launched one stands for, itself included.
WEIGHT = Counter(REPRESENTATIVE)


def is_launched(rank: int) -> bool:
    """Whether this rank is a process. Numbers beyond the job are not ours to answer for."""
    return not 0 <= rank < WORLD_SIZE or REPRESENTATIVE[rank] == rank


def has_virtual(ranks: Sequence[int]) -> bool:
    """Whether any of these is no process."""
    return any(not is_launched(rank) for rank in ranks)


def voice(rank: int, ranks: Sequence[int]) -> int:
    """The launched rank whose value stands for this one in a group of `ranks`."""
    who = REPRESENTATIVE[rank]
    return who if who in ranks else RANK
