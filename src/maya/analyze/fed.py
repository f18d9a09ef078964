"""What a rank's program fed to its model in a step: samples, and tokens if they are text.

A loader knows its samples. Where none is used, the first size of what comes from the host does.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from maya.simulator.steps import Window
from maya.trace import Capture
from maya.trace.feeds import FedBatch, FedTensor, fed_batches, fed_tensors
from maya.trace.format import COPY_DIRECTIONS, Kind

_MOST_CHANNELS = 4  # of a picture that comes alone
_WIDEST = 8  # bytes of an element
_MANY_LAUNCHES = 32  # between two tensors: the model has worked on what came before


@dataclass(frozen=True, slots=True)
class Text:
    """Integers in rows: tokens, if the model reads them as such."""

    tokens: float  # a step
    length: int  # of the longest row


@dataclass(frozen=True, slots=True)
class Fed:
    """By one rank, a step. None: nothing was fed, or it cannot be told."""

    samples: float | None = None
    unit: str = "samples"
    text: Text | None = None
    unclear: bool = False  # something was fed, but not the same in all steps


def fed_in_step(capture: Capture, window: Window) -> Fed:
    """Look at the steps between the window's boundaries."""
    begin, end = window.boundaries[0], window.end
    tensors = fed_tensors(capture, begin, end)
    batches = fed_batches(capture, begin, end)
    feeds = [feed for feed in _feeds(capture, window, tensors, batches) if feed.rows]
    if batches:
        return _loaded(batches, feeds, window.boundaries)
    if not feeds:
        return Fed()
    steps = len(window.boundaries) - 1
    counts = _per_step([feed.event for feed in feeds], window.boundaries)
    if len({feed.rows for feed in feeds}) > 1 or min(counts) != max(counts):
        return Fed(unclear=True)
    if _brought_more(capture, begin, end, tensors):
        return Fed(unclear=True)
    return Fed(feeds[0].rows * counts[0], text=_text(feeds, steps))


def _brought_more(capture: Capture, begin: int, end: int, tensors: Sequence[FedTensor]) -> bool:
    """A copy from the host is larger than all tensors that were told: one by `torch.tensor`.

    A replay buffer brings its batches so, while the observations of a single step are moved.
    """
    sizes = {
        d.id: d.number("bytes")
        for d in capture.definitions()
        if d.kind == Kind.COPY and COPY_DIRECTIONS.get(d.number("direction")) == "H2D"
    }
    numbers = np.unique(capture.events["def"][begin:end]).tolist()
    largest = max((sizes.get(number, 0) for number in numbers), default=0)
    return largest > _WIDEST * max(tensor.elements for tensor in tensors)


@dataclass(frozen=True, slots=True)
class _Feed:
    """Tensors that came together, before the model worked on them."""

    tensors: tuple[FedTensor, ...]

    @property
    def event(self) -> int:
        return self.tensors[0].event

    @property
    def has_single_pictures(self) -> bool:
        return any(
            t.dimensions == 3 and t.rows <= _MOST_CHANNELS and not t.is_integer
            for t in self.tensors
        )

    @property
    def rows(self) -> int:
        """The first size that most have; 0 where none has two sizes, as a batch would."""
        if not any(t.dimensions >= 2 for t in self.tensors) or self.has_single_pictures:
            return 0
        # Among equals the inputs win, which are seldom integers of one size.
        order = sorted(self.tensors, key=lambda t: (t.dimensions < 2, t.is_integer))
        return Counter(t.rows for t in order if t.dimensions).most_common(1)[0][0]

    @property
    def table(self) -> FedTensor | None:
        """Integers in rows, if all such tensors are alike."""
        tables = [t for t in self.tensors if t.is_integer and t.dimensions == 2 and t.columns > 1]
        alike = len({(t.rows, t.columns) for t in tables}) == 1
        return tables[0] if alike else None


def _feeds(
    capture: Capture, window: Window, tensors: Sequence[FedTensor], batches: Sequence[FedBatch]
) -> list[_Feed]:
    """A new one begins where the model has worked, or where a loader has delivered."""
    if not tensors:
        return []
    begin = window.boundaries[0]
    numbers = capture.events["def"][begin : window.end]
    kinds = {d.id: d.kind for d in capture.definitions()}
    of_models = [i for i, kind in kinds.items() if kind in (Kind.LIBRARY, Kind.GRAPH)]
    kernels = [i for i, kind in kinds.items() if kind == Kind.KERNEL]
    work = np.isin(numbers, of_models) * _MANY_LAUNCHES + np.isin(numbers, kernels)
    work[[batch.event - begin for batch in batches]] = _MANY_LAUNCHES
    done = np.cumsum(work)
    found: list[list[FedTensor]] = [[tensors[0]]]
    for last, tensor in pairwise(tensors):
        if done[tensor.event - begin] - done[last.event - begin] >= _MANY_LAUNCHES:
            found.append([])
        found[-1].append(tensor)
    return [_Feed(tuple(group)) for group in found]


def _loaded(batches: list[FedBatch], feeds: list[_Feed], boundaries: tuple[int, ...]) -> Fed:
    """An evaluation in between has a loader of its own, which delivers in few of the steps."""
    found = {
        loader: own
        for loader in {batch.loader: None for batch in batches}
        if (own := _in_every_step([b for b in batches if b.loader == loader], boundaries))
    }
    samples = [own * _samples(loader, batches, feeds) for loader, own in found.items()]
    if not samples or not all(samples):
        return Fed(unclear=True)
    text = _text(feeds, len(boundaries) - 1)
    return Fed(sum(samples), batches[0].unit, text)


def _in_every_step(batches: list[FedBatch], boundaries: tuple[int, ...]) -> int:
    """How many; 0 where steps differ by more than one batch at an edge of what was looked at.

    One that fetches ahead begins an epoch with a batch more and ends it with one less.
    """
    counts = _per_step([batch.event for batch in batches], boundaries)
    usual = Counter(counts).most_common(1)[0][0]
    if abs(sum(counts) - usual * len(counts)) <= 1:
        return usual
    mean, rest = divmod(sum(counts), len(counts))
    return mean if not rest and all(abs(count - mean) <= 1 for count in counts) else 0


def _samples(loader: int, batches: list[FedBatch], feeds: list[_Feed]) -> float:
    """Of a batch. Rows tell them where the loader hands on batches that its data set made."""
    told = [batch.samples for batch in batches if batch.loader == loader]
    rows = {t.rows for feed in feeds for t in feed.tensors if t.dimensions}
    fed = {feed.rows for feed in feeds}
    if max(told) > 1 or (told[0] in rows) or len(fed) != 1:
        return sum(told) / len(told)
    return fed.pop()


def _text(feeds: list[_Feed], steps: int) -> Text | None:
    tables = [feed.table for feed in feeds]
    known = [table for table in tables if table is not None]
    if not known or len(known) < len(tables):
        return None
    tokens = sum(table.elements for table in known)
    return Text(tokens / steps, max(table.columns for table in known))


def _per_step(events: list[int], boundaries: tuple[int, ...]) -> list[int]:
    steps = np.searchsorted(np.array(boundaries), np.array(events), side="right") - 1
    return [int(count) for count in np.bincount(steps, minlength=len(boundaries) - 1)]
