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
    backward = np.flatnonzero(
        np.isin(capture.events["thread"][begin:end], autograd_threads(capture))
    )
    if not len(backward) or not batches:
        return set()
    delivered = Counter(batch.loader for batch in batches)
    trained: Counter[int] = Counter()
    for batch, until in _until_others_come(batches, work_done(capture, begin, end), begin):
        first, last = np.searchsorted(backward, (batch.event - begin, until))
        trained[batch.loader] += first < last
    unused = {loader for loader, count in delivered.items() if 2 * trained[loader] < count}
    return unused if unused < delivered.keys() else set()


def _until_others_come(
    batches: Sequence[FedBatch], done: NDArray[np.int64], begin: int
) -> list[tuple[FedBatch, int]]:
    """Batches that come together, before the model has worked, are used together."""
    found = [(batches[-1], len(done))]
    for batch, following in reversed([*pairwise(batches)]):
        at, then = batch.event - begin, following.event - begin
        worked = done[then] - done[at] >= MANY_LAUNCHES
        found.append((batch, then if worked else found[-1][1]))
    return found
