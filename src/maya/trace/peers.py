"""Ranks that were not launched: each is taken to do what its representative did."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from maya.trace.capture import Capture


@dataclass(frozen=True, slots=True)
class Peers:
    """How many ranks of the job each launched one stands for, itself included."""

    world_size: int
    represents: dict[int, int]

    @property
    def virtual(self) -> int:
        """Ranks without a capture of their own."""
        return self.world_size - len(self.represents)

    def weight(self, rank: int) -> int:
        """Ranks that this one stands for."""
        return self.represents.get(rank, 1)


def peers_of(captures: Sequence[Capture]) -> Peers | None:
    """From the captures' run; None where every rank was started by the program."""
    return read_peers(captures[0].path.parent) if captures else None


def read_peers(directory: Path) -> Peers | None:
    """From run.json."""
    try:
        about = json.loads((directory / "run.json").read_text("utf-8"))["ranks"]
        represents = {int(rank): int(count) for rank, count in about["represents"].items()}
        return Peers(int(about["world_size"]), represents)
    except (OSError, ValueError, KeyError, TypeError):
        return None
