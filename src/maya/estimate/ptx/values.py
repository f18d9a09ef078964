"""What a register holds while a block is walked through: a number, or one for each thread.

Numbers that come out of memory or floating-point arithmetic are not known. Integers among them are
taken for zero, so that an address still tells how threads lie side by side, and are marked.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

EXACT = 0
BOUND = 1  # an upper bound: the smaller of something unknown and something known
UNKNOWN = 2


@dataclass(frozen=True, slots=True)
class Value:
    """An integer or an array of them (a thread each), and how far it is known."""

    number: Any
    known: int = EXACT


NOTHING = Value(0, UNKNOWN)
TRUE = Value(True, UNKNOWN)  # a condition that nobody knows is taken to hold


def wrap(number: Any, bits: int) -> Any:
    """Keep the low bits, as a signed number."""
    if isinstance(number, np.ndarray):
        if bits == 64:
            return number
        return number.astype(np.int32 if bits == 32 else np.int16).astype(np.int64)
    half = 1 << (bits - 1)
    return ((int(number) + half) & ((1 << bits) - 1)) - half


def unsigned(number: Any, bits: int) -> Any:
    """The same bits as an unsigned number; 64-bit arrays are taken as they are."""
    if isinstance(number, np.ndarray):
        return number if bits == 64 else number & ((1 << bits) - 1)
    return int(number) & ((1 << bits) - 1)


def merge(guard: Value, new: Value, old: Value) -> Value:
    """The result of an instruction that some threads may skip."""
    if guard.known or guard.number is True or np.all(guard.number):
        return new
    if not np.any(guard.number):
        return old
    known = max(new.known, old.known)
    return Value(np.where(guard.number, new.number, old.number), known)
