"""Fourier transforms (cuFFT), and products of vectors (cuBLAS): bound by memory."""

import re
from math import ceil, log2, prod

from maya.estimate.cost import Cost, estimate_cost
from maya.estimate.gemm.problem import TYPE_BYTES
from maya.estimate.types import Estimate
from maya.hardware import Gpu
from maya.trace import Definition

# A kernel of cuFFT holds so many points of a row in shared memory; longer rows take one pass more.
_POINTS_OF_A_PASS = 1 << 13
_FOURIER = 5.0  # operations for each point and level, the customary count
_REACHED = 0.3  # of the fp32 peak, between shared memory and twiddle factors; chosen
_COMPLEX = {4: 8, 5: 16, 6: 4}  # cudaDataType_t
_REAL = {0: 4, 1: 8, 2: 2}
_EXEC = re.compile(r"Exec([RCDZ])2([RCDZ])$")
_LETTERS = {"R": 4, "C": 8, "D": 8, "Z": 16}
_BY_LETTER = {"S": 4.0, "D": 8.0, "C": 8.0, "Z": 16.0}


def fourier(work: Definition, device: Gpu) -> Estimate | None:
    """A plan's dimensions, each walked once (twice where it is long)."""
    number = work.number
    if number("n0") <= 0:
        return None
    sizes = [max(1, number(name, 1)) for name in ("n0", "n1", "n2")]
    points = prod(sizes) * max(1, number("batch", 1))
    widths = _widths(work)
    passes = sum(ceil(log2(size) / log2(_POINTS_OF_A_PASS)) for size in sizes if size > 1)
    wide = max(widths)  # between passes lie complex numbers
    moved = float(points * (sum(widths) + 2 * wide * (max(1, passes) - 1)))
    operations = _FOURIER * points * log2(max(2, prod(sizes))) / _REACHED
    return estimate_cost(Cost(moved, operations), device, 0.4)


def _widths(work: Definition) -> list[int]:
    """Bytes of an element read and written: told by types, or by letters (cufftExecR2C)."""
    exchanged = _EXEC.search(work.op)
    if exchanged:
        return [_LETTERS[letter] for letter in exchanged.groups()]
    told = (work.number("input_type"), work.number("output_type"))
    return [_COMPLEX.get(code) or _REAL.get(code, 8) for code in told]


def of_vectors(work: Definition, device: Gpu) -> Estimate | None:
    """Matrix times vector, scalar products, norms: every operand once."""
    number = work.number
    rows, columns = number("m", 1), number("n", 1)
    if min(rows, columns) <= 0:
        return None
    values = rows * columns + rows + columns if number("m") else 2 * columns
    width = TYPE_BYTES.get(number("x_type", -1)) or _BY_LETTER.get(_letter(work.op), 4.0)
    return estimate_cost(Cost(values * width, 2.0 * values), device, 0.3)


def sampler(work: Definition, device: Gpu) -> Estimate | None:
    """cuDNN's bilinear sampling: four values for each result, most of them from L2."""
    number = work.number
    planes = max(1, number("n")) * max(1, number("c"))
    inside, outside = number("in_h") * number("in_w"), number("out_h") * number("out_w")
    passes = 3.0 if work.op.endswith("Backward") else 1.0
    width = TYPE_BYTES.get(number("type"), 4.0)
    moved = float(planes * (inside + outside) * width * passes)
    return estimate_cost(Cost(moved, issued=planes * outside * 60.0 * passes), device, 0.5)


def _letter(op: str) -> str:
    return op.removeprefix("cublas")[:1]
