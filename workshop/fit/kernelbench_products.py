"""KernelBench's products in fp32 without tensor cores: plain, batched, and linear layers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from maya.estimate.cost import floor_ns, memory_ns
from maya.estimate.gemm.problem import GemmProblem
from maya.hardware import find_gpu
from maya.units import NS_PER_MS
from workshop.fit.kernelbench import Timing, timings

_LEAST_MS = 0.25  # shorter calls show the host
_HARNESS_NS = 10_000.0  # events around a call: a launch's latency
Sizes = tuple[int, int, int, int, str]  # m, n, k, batch and cuBLAS's layout

_SQUARE: Callable[[dict[str, Any]], Sizes] = lambda c: (c["N"], c["N"], c["N"], 1, "nn")  # noqa: E731
_LEVEL_1: dict[int, Callable[[dict[str, Any]], Sizes]] = {
    1: _SQUARE,
    2: lambda c: (c["M"], c["N"], c["K"], 1, "nn"),
    3: lambda c: (c["m"], c["n"], c["k"], c["batch_size"], "nn"),
    6: lambda c: (c["M"], c["N"], c["K"], 1, "nn"),
    8: lambda c: (c["M"], c["N"], c["K"], 1, "nn"),
    9: lambda c: (c["M"], c["M"], c["N"], 1, "nn"),
    10: lambda c: (c["N"] * c["M"], c["L"], c["K"], 1, "nn"),
    11: lambda c: (c["b"] * c["i"] * c["j"], c["k"], c["l"], 1, "nn"),
    13: _SQUARE,
    17: lambda c: (c["M"], c["N"], c["K"], 1, "tn"),
    18: lambda c: (c["M"], c["N"], c["K"], 1, "tt"),
}
# Linear layers with elementwise kernels behind them, and how often those walk the result.
_INPUTS, _OUTPUTS = ("in_features", "input_size"), ("out_features", "hidden_size", "output_size")
_LEVEL_2 = {12: 4, 29: 4, 40: 7, 53: 6, 56: 3, 63: 4, 68: 4, 86: 4, 9: 6}


@dataclass(frozen=True, slots=True)
class ProductSample:
    """A product on a GPU; one problem in three is never fitted."""

    gpu: str
    problem: GemmProblem
    time_ns: float
    kept: bool


def product_samples() -> Iterator[ProductSample]:
    """Those above the host's floor."""
    for timing in timings("level1"):
        named = "atmul" in timing.name or "matrix_mult" in timing.name
        if named and timing.number in _LEVEL_1 and timing.time_ms > _LEAST_MS:
            yield _sample(timing, _LEVEL_1[timing.number](timing.constants), 0)
    for timing in timings("level2"):
        walks = _LEVEL_2.get(timing.number)
        if walks and timing.time_ms > _LEAST_MS and "Conv" not in timing.name:
            yield _sample(timing, _linear(timing.constants), walks)


def _linear(constants: dict[str, Any]) -> Sizes:
    """Rows, outputs and inputs of nn.Linear."""
    inputs = next(constants[name] for name in _INPUTS if name in constants)
    outs = next(constants[name] for name in _OUTPUTS if name in constants)
    return constants["batch_size"], outs, inputs, 1, "tn"


def _sample(timing: Timing, sizes: Sizes, walks: int) -> ProductSample:
    m, n, k, batch, layout = sizes
    gpu = find_gpu(timing.gpu)
    elementwise_ns = walks / 2 * floor_ns(gpu) + memory_ns(walks * m * n * 4.0, gpu)
    time_ns = timing.time_ms * NS_PER_MS - _HARNESS_NS - elementwise_ns
    problem = GemmProblem(m, n, k, batch, "fp32", 4.0, 4.0, layout)
    return ProductSample(timing.gpu, problem, time_ns, timing.kept)
