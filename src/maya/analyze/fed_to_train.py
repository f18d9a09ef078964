"""Which loaders a program trains from. The others feed evaluations, which no batch contains."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maya.trace import Capture
from maya.trace.feeds import FedBatch
from maya.trace.format import Kind
from maya.trace.threads import autograd_threads

MANY_LAUNCHES = 32  # the model has worked on what came before


def work_done(capture: Capture, begin: int, end: int) -> NDArray[np.int64]:
    """Launches until each event; a library's call or a graph is work of a model by itself."""
    numbers = capture.events["def"][begin:end]
    kinds = {d.id: d.kind for d in capture.definitions()}
    of_models = [i for i, kind in kinds.items() if kind in (Kind.LIBRARY, Kind.GRAPH)]
    kernels = [i for i, kind in kinds.items() if kind == Kind.KERNEL]
    work = np.isin(numbers, of_models) * MANY_LAUNCHES + np.isin(numbers, kernels)
    return np.cumsum(work)


def loaders_of_evaluations(
    capture: Capture, begin: int, end: int, batches: Sequence[FedBatch]
) -> set[int]:
    """No backward pass follows most of what they deliver. Empty where none is seen at all."""
    followed = trained_on(capture, begin, end, [batch.event for batch in batches])
    delivered = Counter(batch.loader for batch in batches)
    trained = Counter(b.loader for b, is_used in zip(batches, followed, strict=True) if is_used)
    unused = {loader for loader, count in delivered.items() if 2 * trained[loader] < count}
    return unused if unused < delivered.keys() else set()


def trained_on(capture: Capture, begin: int, end: int, events: Sequence[int]) -> list[bool]:
    """Whether a backward pass follows each, before the model works on what comes next."""
    backward = np.flatnonzero(
        np.isin(capture.events["thread"][begin:end], autograd_threads(capture))
    )
    done = work_done(capture, begin, end)
    until = len(done)
    found: list[bool] = []
    for at, then in reversed([*pairwise([event - begin for event in (*events, end)])]):
        # What comes together, before the model has worked, is used together.
        until = then if then < len(done) and done[then] - done[at] >= MANY_LAUNCHES else until
        first, last = np.searchsorted(backward, (at, until))
        found.append(bool(first < last))
    return found[::-1]
