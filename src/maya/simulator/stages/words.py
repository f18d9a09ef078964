"""What a pipeline stage does in a step as a word: work and messages in turns.

A letter is all the work between two messages, or the messages between two pieces of work. Its parts
may come in any order: ranks differ in which of two threads was first, and in whether they send
before they receive.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.simulator.rows import I64
from maya.trace import Capture, Definition
from maya.trace.format import Kind

Letters = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

_WORK = (Kind.KERNEL, Kind.LIBRARY, Kind.COPY, Kind.MEMSET, Kind.COLLECTIVE)
_OWN_NUMBERS = ("comm", "rank", "peer", "root", "site")  # of a collective: they belong to the rank
_SHAPE = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_bytes")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Word:
    """Letters, and the event at which each begins; the last number is where the word ends.

    A letter that not all stages have is spelled in detail: a letter for each call.
    """

    letters: Letters
    begins: I64
    is_message: Mask
    in_detail: Mask

    def __len__(self) -> int:
        return len(self.letters)


def joined(words: Sequence[Word]) -> Word:
    """Words that follow each other as one."""
    begins = [word.begins[:-1] for word in words]
    return Word(
        np.concatenate([word.letters for word in words]),
        np.concatenate((*begins, words[-1].begins[-1:])),
        np.concatenate([word.is_message for word in words]),
        np.concatenate([word.in_detail for word in words]),
    )


class Alphabet:
    """Numbers for what is asked of the device, the same for all ranks."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def spell(self, capture: Capture, begin: int, end: int, common: Letters | None = None) -> Word:
        """The word of the events from begin to end; letters that are not common in detail."""
        number, is_message = self._tables(capture)
        called = capture.events["def"][begin:end]
        work = np.flatnonzero(number[called])
        calls = _hashed(number[called[work]])
        message = is_message[called[work]]
        turns = np.concatenate(([True], np.diff(message)))[: len(work)]
        letters = np.add.reduceat(calls, np.flatnonzero(turns)) if len(work) else calls
        in_detail = np.zeros(len(work), np.bool_)
        if common is not None:
            in_detail = ~np.isin(letters, common)[np.cumsum(turns) - 1]
        starts = np.flatnonzero(turns | in_detail)
        letters = np.where(in_detail, calls, letters[np.cumsum(turns) - 1])[starts]
        begins = begin + work[starts]
        begins[:1] = begin  # what is called before the first work belongs to it
        edges = np.concatenate((begins, [end])).astype(np.int64)
        return Word(letters, edges, message[starts], in_detail[starts])

    def _tables(self, capture: Capture) -> tuple[I64, Mask]:
        """By definition: its number, 0 where it is no work; whether it is a message."""
        size = max(capture.definition_ids, default=0) + 1
        number, is_message = np.zeros(size, np.int64), np.zeros(size, np.bool_)
        for about in capture.definitions():
            if about.kind in _WORK:
                number[about.id] = self._numbers.setdefault(_meaning(about), len(self._numbers) + 1)
                is_message[about.id] = is_message_of(about)
        return number, is_message


def is_message_of(about: Definition) -> bool:
    """Whether a definition is a send or a receive."""
    return about.kind == Kind.COLLECTIVE and "peer" in about.fields


def says_the_same(one: Word, order: I64, other: Word) -> bool:
    """Whether the letters of a word, in this order, are those of the other.

    Calls that are spelled one by one count together, as letters do: their order is not compared.
    """
    return np.array_equal(
        _condensed(one.letters[order], one.in_detail[order]),
        _condensed(other.letters, other.in_detail),
    )


def _condensed(letters: Letters, in_detail: Mask) -> Letters:
    follows = in_detail[1:] & in_detail[:-1]
    starts = np.flatnonzero(np.concatenate(([True], ~follows)))[: len(letters)]
    sums: Letters = np.add.reduceat(letters, starts) if len(letters) else letters
    return sums


def _meaning(about: Definition) -> Hashable:
    """What is asked for, without what belongs to one rank only."""
    if about.kind == Kind.KERNEL:
        return about.text("kernel"), *(about.number(name) for name in _SHAPE)
    rest = tuple((name, value) for name, value in about.fields.items() if name not in _OWN_NUMBERS)
    if not is_message_of(about):
        return about.op, rest
    away = about.number("peer") - about.number("rank")
    return about.op, away, rest


def _hashed(numbers: I64) -> Letters:
    """Numbers spread over 64 bits, so that sums tell which and how many."""
    word = numbers.astype(np.uint64) * _MIX
    word = (word ^ (word >> np.uint64(29))) * _MIX
    mixed: Letters = (word ^ (word >> np.uint64(32))) * _MIX
    return mixed
