"""Steps that were fed less than the others: the rest of a data set at the end of an epoch.

Their work is of the same kind, and often in as many launches.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from maya.trace import Capture
from maya.trace.feeds import fed_batches

_MOST = 0.75  # of the steps are fed alike, or their number of samples tells nothing


def short_steps(capture: Capture, boundaries: Sequence[int]) -> list[bool]:
    """Of the steps between these events, those to which a loader brought fewer samples."""
    steps = len(boundaries) - 1
    batches = fed_batches(capture, boundaries[0], boundaries[-1])
    edges = np.maximum.accumulate(boundaries)  # a boundary that is not on record counts as 0
    at = np.searchsorted(edges, [batch.event for batch in batches], side="right") - 1
    fed = np.bincount(at, [batch.samples for batch in batches], minlength=steps)
    usual, times = Counter(fed.tolist()).most_common(1)[0]
    if times < _MOST * steps:
        return [False] * steps
    return [bool(amount < usual) for amount in fed[:steps]]
