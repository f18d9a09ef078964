"""The options of `run` and `simulate` that make ranks differ in speed."""

from collections.abc import Sequence

from maya.errors import MayaError
from maya.simulate.variation import Variation


def variation_of(
    every_rank: bool, jitter: float, slow_node: Sequence[str], seed: int, trials: int
) -> Variation | None:
    """None where symmetric ranks are simulated once."""
    slow = tuple(_slow(text) for text in slow_node)
    if not (every_rank or jitter or slow):
        return None
    return Variation(jitter, slow, seed, trials)


def _slow(text: str) -> tuple[int, float]:
    node, _, factor = text.partition("=")
    try:
        found = int(node), float(factor)
    except ValueError:
        found = -1, 0.0
    if found[0] < 0 or not 0 < found[1] <= 1000:
        raise MayaError(f"--slow-node: {text!r} is no NODE=FACTOR", hint="--slow-node 3=1.2")
    return found
