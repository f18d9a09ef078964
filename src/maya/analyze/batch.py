"""How many samples or tokens a step takes: as the program fed them, else as its kernels show.

The loss sees every sample of a classifier and every token of a language model once, on the ranks
that have the last stage; its rows are in the kernel's arguments. Ranks that share one sample
(tensor parallel) reduce activations in the forward pass, before the loss; data-parallel ones don't.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maya.analyze.fed import Fed, fed_in_step
from maya.estimate.kernels.estimator import attention_problem
from maya.estimate.kernels.rows import loss_rows
from maya.estimate.library.conv_problem import conv_problem
from maya.simulator.collate import Job
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.kernel_class import kernel_class
from maya.trace.problem import collective_bytes

_LARGE_BYTES = 64 << 10  # statistics of batch normalisation are smaller, activations are not
_IMAGE_CHANNELS = 4
_HANDED_ON = ("ncclSend", "ncclRecv")
_WHOLE = 0.01  # labels may be a token shorter than the sequence


@dataclass(frozen=True, slots=True)
class Batch:
    """Of the whole job; None where it cannot be seen."""

    samples: float | None = None
    tokens: float | None = None
    unit: str = "samples"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one rank's steps show, per step."""

    loss_rows: float
    images: float
    sharing: int  # ranks that work on the same sample
    length: int  # of a sequence; 0 where no attention kernel tells it
    text: bool
    sequences: bool
    in_pipeline: bool
    fed: Fed


def step_batch(job: Job, steps: int, weights: Sequence[int]) -> Batch:
    """Add up the ranks; each capture stands for so many."""
    seen = [_look(job, rank, steps) for rank in range(len(job.ranks))]
    shown = _shown_by_kernels(seen, weights)
    if any(s.in_pipeline for s in seen):  # several stages feed the same samples
        return shown
    if any(s.fed.unclear for s in seen):
        return Batch()
    samples = _total([s.fed.samples for s in seen], seen, weights)
    if samples is None:
        return shown
    tokens = _total([_tokens(s) for s in seen], seen, weights)
    if tokens is None and shown.samples == samples:
        tokens = shown.tokens
    return Batch(samples, tokens, seen[0].fed.unit)


def _total(
    values: Sequence[float | None], seen: Sequence[_Seen], weights: Sequence[int]
) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(v * w / s.sharing for v, w, s in zip(known, weights, seen, strict=True))


def _tokens(seen: _Seen) -> float | None:
    """Integers in rows are text where they are looked up and attended to, or each has a loss."""
    fed = seen.fed.text
    if fed is None or seen.images:
        return None
    attended = fed.length in (seen.length, seen.length + 1)
    if not seen.length:  # what reads sequences does not tell their length
        attended = seen.text and seen.sequences
    predicted = seen.text and abs(seen.loss_rows / fed.tokens - 1) <= _WHOLE
    if not predicted and (not attended or fed.may_be_pairs):
        return None
    # Rows that hold inputs and labels, one apart, are a token longer than what the model reads.
    shifted = seen.length and fed.length == seen.length + 1
    return fed.tokens * seen.length / fed.length if shifted else fed.tokens


def _shown_by_kernels(seen: Sequence[_Seen], weights: Sequence[int]) -> Batch:
    rows = _total([s.loss_rows for s in seen], seen, weights)
    if not any(s.text for s in seen):
        images = _total([s.images for s in seen], seen, weights)
        # A convolution may work on patches, a loss on pixels: the smaller number counts samples.
        return Batch(samples=min((n for n in (images, rows) if n), default=None))
    length = max(s.length for s in seen)
    if not rows or not (length or any(s.sequences for s in seen)):  # nodes are looked up as well
        return Batch()
    samples = round(rows / length) if length else 0
    if samples and abs(samples * length / rows - 1) <= _WHOLE:
        return Batch(samples, samples * length)
    return Batch(None, rows)


def _look(job: Job, rank: int, steps: int) -> _Seen:
    rows, window = job.ranks[rank].rows, job.windows[rank]
    first, last = np.searchsorted(rows.event, (window.boundaries[0], window.end))
    used = rows.definition[first:last]
    numbers, where, counts = np.unique(used, return_index=True, return_counts=True)
    found = {
        int(number): (job.captures[rank].definition(int(number)), int(at), int(count))
        for number, at, count in zip(numbers, where, counts, strict=True)
        if number > 0
    }
    loss = [(_loss_rows(d), at, count) for d, at, count in found.values() if _loss_rows(d)]
    before_loss = min((at for _, at, _ in loss), default=0)
    images = _images([(d, at, count) for d, at, count in found.values()])
    lengths = [_length(d) for d, _, _ in found.values()]
    return _Seen(
        loss_rows=sum(size * count for size, _, count in loss) / steps,
        images=images / steps,
        sharing=max([1, *(_shared_by(d) for d, at, _ in found.values() if at < before_loss)]),
        length=max(lengths, default=0),
        text=not images and any(_is_lookup(d) for d, _, _ in found.values()),
        sequences=any(_reads_sequences(d) for d, _, _ in found.values()),
        in_pipeline=any(d.op in _HANDED_ON for d, _, _ in found.values()),
        fed=fed_in_step(job.captures[rank], window),
    )


def _loss_rows(definition: Definition) -> int:
    is_loss = definition.kind == Kind.KERNEL and definition.family.has("loss_rows")
    return loss_rows(definition) if is_loss else 0


def _images(found: list[tuple[Definition, int, int]]) -> int:
    """Of the first convolution, if it reads colours."""
    convolutions = [
        (at, problem, count)
        for definition, at, count in found
        if definition.op.startswith("cudnn_conv_fprop")
        if (problem := conv_problem(definition)) and problem.c <= _IMAGE_CHANNELS
    ]
    if not convolutions:
        return 0
    _, problem, count = min(convolutions, key=lambda entry: entry[0])
    return int(problem.n) * count


def _is_lookup(definition: Definition) -> bool:
    """A table of embeddings is read."""
    return definition.kind == Kind.KERNEL and definition.family.has("token_lookup")


def _reads_sequences(definition: Definition) -> bool:
    return kernel_class(definition) in ("attention", "recurrent")


def _shared_by(definition: Definition) -> int:
    reduces = definition.op in ("ncclAllReduce", "ncclReduceScatter")
    if not reduces or collective_bytes(definition) < _LARGE_BYTES:
        return 1
    return definition.number("nranks", 1)


def _length(definition: Definition) -> int:
    if definition.kind == Kind.LIBRARY:
        return definition.number("s_q") if definition.op.endswith("fwd") else 0
    if definition.kind != Kind.KERNEL or not definition.family.has("sequence_length"):
        return 0
    problem = attention_problem(definition)
    return int(problem.queries) if problem else 0
