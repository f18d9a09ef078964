"""A convolution, read from the record of cuDNN."""

from dataclasses import dataclass

from maya.estimate.gemm.problem import TYPE_BYTES, precision
from maya.trace import Definition

_TENSOR_CORE_NOTE = 1
CHANNELS = 8  # that tensor cores take at a time, in 16 bits


@dataclass(frozen=True, slots=True)
class ConvProblem:
    """One of the three passes of a convolution."""

    direction: str  # fprop, dgrad, wgrad
    n: int
    c: int
    k: int
    groups: int
    in_volume: int
    out_volume: int
    filter_volume: int
    stride_volume: int
    element_bytes: float
    precision: str
    channels_last: bool
    spatial: int = 2

    @property
    def flops(self) -> float:
        """The same for all three passes."""
        terms = float(self.n * self.out_volume * self.k) * self.filter_volume
        return 2.0 * terms * (self.c // self.groups)

    @property
    def bytes(self) -> float:
        """Input, filter and output once each."""
        x = self.n * self.c * self.in_volume
        w = self.k * (self.c // self.groups) * self.filter_volume
        y = self.n * self.k * self.out_volume
        return float(x + w + y) * self.element_bytes

    @property
    def sizes(self) -> tuple[int, int, int]:
        """m, n and k of one group's implicit matrix product.

        Tensor cores take channels by eights: fewer are padded.
        """
        channels, outs = self.c // self.groups, self.k // self.groups
        if self.precision not in ("fp32", "fp64"):
            channels = -(-channels // CHANNELS) * CHANNELS
        rows, inner = self.n * self.out_volume, channels * self.filter_volume
        if self.direction == "dgrad":  # strides leave holes that kernels skip
            depth = outs * self.filter_volume // self.stride_volume
            return max(1, self.n * self.in_volume), max(1, channels), max(1, depth)
        if self.direction == "wgrad":
            return max(1, outs), max(1, inner), max(1, rows)
        return max(1, rows), max(1, outs), max(1, inner)


def conv_problem(work: Definition) -> ConvProblem | None:
    """From a record named cudnn_conv_*."""
    number = work.number

    def volume(prefix: str) -> int:
        return max(
            1, number(f"{prefix}_d", 1) * number(f"{prefix}_h", 1) * number(f"{prefix}_w", 1)
        )

    if min(number("n"), number("c"), number("k")) <= 0:
        return None
    x_type = number("x_type")
    on_tensor_cores = bool(number("notes") & _TENSOR_CORE_NOTE)
    rate = precision(x_type, 77 if on_tensor_cores else 68, 0)
    return ConvProblem(
        work.op.rpartition("_")[2], number("n"), number("c"), number("k"),
        max(1, number("groups", 1)), volume("in"), volume("out"), volume("filter"),
        volume("stride"), TYPE_BYTES.get(x_type, 4.0), rate, bool(number("x_nhwc")),
        number("spatial", 2),
    )  # fmt: skip
