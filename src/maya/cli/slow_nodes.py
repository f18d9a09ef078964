"""--slow-node, which is given as NODE=FACTOR."""

from collections.abc import Sequence

from maya.errors import MayaError


def slow_nodes(words: Sequence[str] | None) -> dict[int, float]:
    """What kernels of each slow node take longer."""
    return dict(_slow_node(word) for word in words or ())


def _slow_node(text: str) -> tuple[int, float]:
    node, _, factor = text.partition("=")
    try:
        found = int(node), float(factor)
    except ValueError:
        found = -1, 0.0
    if found[0] < 0 or not 0 < found[1] <= 1000:
        raise MayaError(f"--slow-node: {text!r} is no NODE=FACTOR", hint="--slow-node 3=1.2")
    return found
