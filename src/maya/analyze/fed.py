"""What a rank's program fed to its model in a step: samples, and tokens if they are text.

A loader knows its samples. Where none is used, the first size of what comes from the host does.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from maya.analyze.fed_to_train import MANY_LAUNCHES, loaders_of_evaluations, trained_on, work_done
from maya.simulator.steps import Window
from maya.trace import Capture
from maya.trace.feeds import FedBatch, FedTensor, fed_batches, fed_tensors
from maya.trace.format import COPY_DIRECTIONS, Kind

_MOST_CHANNELS = 4  # of a picture that comes alone
_OF_A_PAIR = (4, 6, 8)  # ids, mask, perhaps types and positions, twice
_WIDEST = 8  # bytes of an element


@dataclass(frozen=True, slots=True)
class Text:
    """Integers in rows: tokens, if the model reads them as such."""

    tokens: float  # a step
    length: int  # of the longest row
    may_be_pairs: bool = False  # ids and masks of two texts, or all that belongs to one


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
        if unused := loaders_of_evaluations(capture, begin, end, batches):
            batches = [batch for batch in batches if batch.loader not in unused]
            used = trained_on(capture, begin, end, [feed.event for feed in feeds])
            feeds = [feed for feed, is_used in zip(feeds, used, strict=True) if is_used]
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
        alike = len({(t.rows, t.columns) for t in self.tables}) == 1
        return self.tables[0] if alike else None

    @property
    def tables(self) -> list[FedTensor]:
        """All integers in rows."""
        return [t for t in self.tensors if t.is_integer and t.dimensions == 2 and t.columns > 1]


def _feeds(
    capture: Capture, window: Window, tensors: Sequence[FedTensor], batches: Sequence[FedBatch]
) -> list[_Feed]:
    """A new one begins where the model has worked, or where a loader has delivered."""
    if not tensors:
        return []
    begin = window.boundaries[0]
    done = work_done(capture, begin, window.end)
    loads = np.array([batch.event for batch in batches])
    found: list[list[FedTensor]] = [[tensors[0]]]
    for last, tensor in pairwise(tensors):
        loaded = ((last.event < loads) & (loads <= tensor.event)).any()
        if loaded or done[tensor.event - begin] - done[last.event - begin] >= MANY_LAUNCHES:
            found.append([])
        found[-1].append(tensor)
    return [_Feed(tuple(group)) for group in found]


def _loaded(batches: list[FedBatch], feeds: list[_Feed], boundaries: tuple[int, ...]) -> Fed:
    """An evaluation in between has a loader of its own, which delivers in few of the steps."""
    batches = _one_after_the_other(batches)
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


def _one_after_the_other(batches: list[FedBatch]) -> list[FedBatch]:
    """Loaders that are made anew in each epoch, of which no two are in use at a time, are one."""
    runs = [loader for loader, _ in groupby(batch.loader for batch in batches)]
    if len(set(runs)) < len(runs):
        return batches
    return [replace(batch, loader=runs[0]) for batch in batches]


def _in_every_step(batches: list[FedBatch], boundaries: tuple[int, ...]) -> int:
    """How many; 0 where steps differ by more than one batch at an edge of what was looked at.

    One that fetches ahead, at most a step, begins an epoch with more and ends it with less.
    """
    counts = _per_step([batch.event for batch in batches], boundaries)
    usual = Counter(counts).most_common(1)[0][0]
    if abs(sum(counts) - usual * len(counts)) <= 1:
        return usual
    mean, rest = divmod(sum(counts), len(counts))
    ahead = np.cumsum(np.array(counts) - mean)
    return mean if not rest and np.abs(ahead).max() <= mean else 0


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
    may_be_pairs = any(len(feed.tables) in _OF_A_PAIR for feed in feeds)
    return Text(tokens / steps, max(table.columns for table in known), may_be_pairs)


def _per_step(events: list[int], boundaries: tuple[int, ...]) -> list[int]:
    steps = np.searchsorted(np.array(boundaries), np.array(events), side="right") - 1
    return [int(count) for count in np.bincount(steps, minlength=len(boundaries) - 1)]
