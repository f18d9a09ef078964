"""What is taken from a profiler's trace, whichever profiler wrote it."""

import math
from dataclasses import dataclass
from typing import Any

from maya.errors import MayaError

Dimensions = tuple[int, int, int]
_LONGEST_NS = 1e12  # no kernel takes a quarter of an hour
_LARGEST = 1 << 31  # of a grid's or a tensor's side


@dataclass(frozen=True, slots=True)
class TracedOperator:
    """A call of ATen that launched kernels; sizes are empty where the trace has none."""

    name: str
    dims: tuple[tuple[int, ...], ...] = ()  # of each input; () for what is no tensor
    types: tuple[str, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    values: tuple[str, ...] = ()  # of inputs that are no tensors, as text


@dataclass(frozen=True, slots=True)
class TracedKernel:
    """One kernel as it ran."""

    kernel: str
    duration_ns: float
    grid: Dimensions
    block: Dimensions
    operator: TracedOperator | None = None
    call: int = -1  # which call of an operator: its kernels belong together


@dataclass(frozen=True, slots=True)
class Trace:
    """The kernels of a file, and the GPU that it names."""

    path: str
    gpu: str  # as the driver calls it; "" where the trace does not tell
    launches: tuple[TracedKernel, ...]
    convolutions: tuple[TracedOperator, ...] = ()  # calls around those that launched something, too


def bad_trace(path: Any, what: str) -> MayaError:
    """A MayaError that says which file, and what can be read."""
    return MayaError(
        f"{path}: {what}",
        hint="traces of torch.profiler (export_chrome_trace, .json or .json.gz) and SQLite exports "
        "of nsys (nsys export --type sqlite) are read",
    )


def duration(path: Any, name: str, value: Any, unit_ns: float) -> float:
    """A time in nanoseconds; profilers that count microseconds round the shortest to zero."""
    found = float(value) * unit_ns if _is_number(value) else math.nan
    if not 0 <= found < _LONGEST_NS:
        raise bad_trace(path, f"kernel {name[:60]!r} has the duration {value!r}")
    return found


def three(path: Any, name: str, values: Any) -> Dimensions:
    """Grid or block."""
    if isinstance(values, (list, tuple)) and len(values) == 3 and all(map(_is_size, values)):
        return int(values[0]), int(values[1]), int(values[2])
    raise bad_trace(path, f"kernel {name[:60]!r} was launched with {str(values)[:60]}")


def sizes(values: Any) -> tuple[int, ...]:
    """The sides of a tensor; () for anything else."""
    if isinstance(values, (list, tuple)) and all(map(_is_size, values)):
        return tuple(map(int, values))
    return ()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST
