"""Pipeline stages that differ by the schedule alone: a few of them are launched."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from maya.emulator.structure import Structure
from maya.rundir import StageFacts

RELAY = "MAYA_RELAY"  # small messages pass through stages that were not launched
LEAST_STAGES = "MAYA_EQUAL_STAGES"  # 0: every stage is launched
_LEAST_STAGES = "12"  # six of them are launched, and all of them for a moment before


class StageReader(Protocol):
    """Who reads what ranks record; the emulator itself does not."""

    def have_begun(self, directory: Path, chain: tuple[int, ...], /) -> bool:
        """Whether every stage has passed a micro-batch forward and backward."""

    def alike(self, directory: Path, chain: tuple[int, ...], /) -> tuple[int, ...]:
        """The ranks whose first micro-batches did the same."""

    def confirmed(self, directory: Path, stages: StageFacts, /) -> bool:
        """Whether the launched stages follow from each other."""


def is_chain(ranks: tuple[int, ...], structure: Structure, env: Mapping[str, str]) -> bool:
    """Whether these are the stages of one pipeline, and enough of them to leave some out."""
    least = int(env.get(LEAST_STAGES, _LEAST_STAGES))
    even = len({after - before for before, after in pairwise(ranks)}) == 1
    told = {rank for rank, members in structure.partners if rank in members}
    return 0 < least <= len(ranks) and even and told <= set(ranks)


def worth_it(stages: StageFacts) -> bool:
    """Whether launching fewer stages pays for having launched all of them."""
    return len(stages.neighbours) == 2 and len(stages.needed) < len(stages.chain)
