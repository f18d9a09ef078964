"""Notes on the masks of flex attention, which are data."""

from collections import Counter

from maya.trace.block_masks import BlockMask, mean_share
from maya.units import counted as counted_as

_WORTH_TELLING = 0.05  # of the time


def notes_of_masks(
    masks: Counter[BlockMask], data_decided: float, given: float | None
) -> list[str]:
    """`data_decided`: share of time in kernels that data decides about; `given`: by the user."""
    notes = [_known(masks)] if masks else []
    if data_decided <= _WORTH_TELLING:
        return notes
    if given is not None:
        told = f"which compute {given:.3g} of their mask's blocks, as --mask-density says"
        return [*notes, f"{data_decided:.0%} of the time is in kernels of flex attention, {told}"]
    return [
        *notes,
        f"{data_decided:.0%} of the time is in kernels whose loops end where data says (the mask "
        f"of flex attention). Maya assumed that {_assumed(mean_share(masks))}; --mask-density "
        "gives another share",
    ]


def _known(masks: Counter[BlockMask]) -> str:
    shares = sorted(mask.share for mask in masks)
    computed = f"{shares[0]:.1%}"
    if shares[-1] > shares[0]:
        computed += f" to {shares[-1]:.1%}"
    made = counted_as(sum(masks.values()), "mask")
    return (
        f"of {made} of flex attention made from known values, {computed} of the blocks are listed"
    )


def _assumed(mean: float | None) -> str:
    if mean is None:
        return "half of all blocks are computed"
    return f"{mean:.1%} of all blocks are computed, the mean of the masks that are known"
