"""Masks of flex attention whose blocks follow from known values."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maya.trace.capture import Capture
from maya.trace.format import Kind


@dataclass(frozen=True, slots=True)
class BlockMask:
    """How many of its blocks are computed."""

    computed: int
    blocks: int

    @property
    def share(self) -> float:
        """Of all its blocks."""
        return self.computed / self.blocks if self.blocks else 0.0


def block_masks(captures: Sequence[Capture]) -> Counter[BlockMask]:
    """How often each was made."""
    found: Counter[BlockMask] = Counter()
    for capture in captures:
        for work in capture.definitions():
            if work.kind == Kind.INFO and work.op == "block_mask":
                mask = BlockMask(work.number("computed"), work.number("blocks"))
                found[mask] += int(np.count_nonzero(capture.events["def"] == work.id))
    return found


def mean_share(masks: Counter[BlockMask]) -> float | None:
    """Over the blocks of all; None where there are none."""
    blocks = sum(mask.blocks * times for mask, times in masks.items())
    computed = sum(mask.computed * times for mask, times in masks.items())
    return computed / blocks if blocks else None
