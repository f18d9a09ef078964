"""Convolutions as the matrix products that they are."""

from dataclasses import dataclass

from maya.estimate.cost import floor_ns, memory_ns
from maya.estimate.gemm.estimator import gemm_estimate
from maya.estimate.gemm.problem import TYPE_BYTES, GemmProblem, precision
from maya.estimate.parameters import load
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition

_TENSOR_CORE_NOTE = 1


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

    def as_gemm(self) -> GemmProblem:
        """The implicit matrix product of one group."""
        rows, outs = self.n * self.out_volume, self.k // self.groups
        inner = self.c // self.groups * self.filter_volume
        if self.direction == "dgrad":
            m, n, k = self.n * self.in_volume, self.c // self.groups, outs * self.filter_volume
            k = max(1, k // self.stride_volume)  # strides leave holes that kernels skip
        elif self.direction == "wgrad":
            m, n, k = outs, inner, rows
        else:
            m, n, k = rows, outs, inner
        return GemmProblem(
            max(1, m), max(1, n), max(1, k), self.groups, self.precision, self.element_bytes,
            self.element_bytes,
        )  # fmt: skip


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
    )  # fmt: skip


def conv_estimate(problem: ConvProblem, device: Gpu) -> Estimate:
    """Implicit GEMM; depthwise ones are bound by memory; NCHW on tensor cores transposes."""
    if problem.groups > 1 and problem.c // problem.groups <= 4:
        return _depthwise(problem, device)
    product = gemm_estimate(problem.as_gemm(), device)
    fitted = load("convolution.json")
    slowdown = fitted["slowdown"][problem.direction]
    duration = floor_ns(device) + (product.duration_ns - floor_ns(device)) * slowdown
    duration = max(duration, floor_ns(device) + memory_ns(problem.bytes, device))
    if not problem.channels_last and problem.precision not in ("fp32", "fp64"):
        duration += 2 * floor_ns(device) + memory_ns(2 * problem.bytes, device)
    return Estimate(max(1, round(duration)), Source.ANALYTICAL, 0.25, problem.flops, problem.bytes)


def _depthwise(problem: ConvProblem, device: Gpu) -> Estimate:
    share = load("convolution.json")["depthwise"][problem.direction]
    arithmetic_ns = problem.flops / (device.flops_per_s["fp32"] * share["arithmetic"]) * 1e9
    bandwidth_ns = memory_ns(problem.bytes, device) / share["memory"]
    duration = floor_ns(device) + max(arithmetic_ns, bandwidth_ns)
    return Estimate(max(1, round(duration)), Source.ANALYTICAL, 0.4, problem.flops, problem.bytes)
