"""A measured operator, and the program that does the same."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEPT = 3  # one problem in three, by hash, is kept from every fit and choice
FORWARD, BACKWARD, FULL = "forward", "backward", "full"


def is_kept(source: str, problem: str) -> bool:
    """Whether a problem only judges: the same for every fit and every page."""
    return zlib.crc32(f"{source},{problem}".encode()) % KEPT == 0


@dataclass(frozen=True, slots=True)
class Program:
    """What is recorded: a function of `programs`, its sizes, and which pass of it counts."""

    name: str
    parameters: Mapping[str, Any] = field(hash=False)
    direction: str = FORWARD
    compiled: bool = False

    @property
    def key(self) -> str:
        """Equal where the record would be."""
        words = (self.name, self.direction, "compiled" if self.compiled else "eager")
        return " ".join((*words, json.dumps(self.parameters, sort_keys=True)))


@dataclass(frozen=True, slots=True)
class Case:
    """One published time of one operator on one GPU."""

    source: str
    problem: str  # cases of one problem are all fitted or all kept
    family: str
    program: Program
    gpu: str
    measured_ns: float
    looked_at: bool = False  # the whole source was seen before it was split
    outdated: bool = False  # other kernels ran than those of the PyTorch that was recorded

    @property
    def kept(self) -> bool:
        """Whether the case only judges."""
        return not self.looked_at and is_kept(self.source, self.problem)

    @property
    def split(self) -> str:
        """`fit` or `kept`."""
        return "kept" if self.kept else "fit"
