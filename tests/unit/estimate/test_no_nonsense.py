"""`maya.estimate` on every GPU, at sizes nobody measured: no answer that physics rules out."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

import maya
from maya.hardware import Gpu, find_gpu, list_gpus

GPUS = [gpu.id for gpu in list_gpus()]
ALONE = ("gh200",)  # in a node
SHAPES_EACH = 8
# What trees and protocols may differ by from one size to its double.
NOISE = 1.3
LEARNED_FLOOR_US = 30.0  # below it, harnesses see launches more than products
IN_CACHE = 4  # footprints in units of L2 that may still be found there
WINOGRAD = 144 / 36  # products that transforms of 3 x 3 filters save
Shapes = list[tuple[int, ...]]


@dataclass(frozen=True)
class Ask:
    """An operator, and larger ones that must take as long at least."""

    op: str
    shapes: Shapes
    larger: list[Shapes]
    dtype: str
    options: dict[str, Any] = field(default_factory=dict)

    def on(self, gpu: str, shapes: Shapes | None = None) -> maya.OperatorEstimate:
        return maya.estimate(self.op, shapes or self.shapes, self.dtype, gpu, **self.options)


def asks(seed: str) -> Iterator[Ask]:
    """Tiny, huge and odd ones; sides that are doubled are one or multiples of eight, since fewer
    or odd ones have slower kernels."""
    draw = random.Random(seed)

    def side(most: int) -> int:
        return draw.choice((1, 8 * round(2 ** draw.uniform(0, (most // 8).bit_length() - 1))))

    def dtype(*also: str) -> str:
        return draw.choice(("bf16", "fp16", *also))

    for _ in range(SHAPES_EACH):
        m, n, k = side(1 << 17), side(1 << 17), side(1 << 17)
        grown = [[(2 * m, k), (n, k)], [(m, k), (2 * n, k)], [(m, 2 * k), (n, 2 * k)]]
        yield Ask("linear", [(m, k), (n, k)], grown, dtype("fp32", "tf32", "fp64"))
        yield _attention(side(256), side(128), side(1 << 16), dtype("fp32"), draw)
        yield _convolution(side(64), 8 * side(64), 8 * side(64), dtype("fp32", "fp64"), draw)
        rows, columns = side(1 << 18), side(1 << 18)
        norm = [[(2 * rows, columns)], [(rows, 2 * columns)]]
        backward = {"backward": draw.choice((True, False))}
        yield Ask("layer_norm", [(rows, columns)], norm, dtype("fp32"), backward)
        count = side(1 << 30)
        yield Ask("elementwise", [(count,)] * 2, [[(2 * count,)] * 2], dtype("fp32", "fp64"))


def _attention(batch: int, heads: int, keys: int, dtype: str, draw: random.Random) -> Ask:
    head = draw.choice((8, 64, 80, 128, 256, 512))
    options = {name: draw.choice((True, False)) for name in ("causal", "backward")}
    queries = draw.choice((1, 112, keys))

    def of(batch: int, queries: int, keys: int) -> Shapes:
        return [(batch, heads, rows, head) for rows in (queries, keys, keys)]

    larger = [of(2 * batch, queries, keys), of(batch, queries, 2 * keys)]
    larger += [of(batch, 2 * keys, 2 * keys)] if queries == keys else []
    return Ask("attention", of(batch, queries, keys), larger, dtype, options)


def _convolution(batch: int, channels: int, outs: int, dtype: str, draw: random.Random) -> Ask:
    dimensions, filters = draw.choice((1, 2, 3)), draw.choice((1, 3, 5))
    groups, length = draw.choice((1, channels)), draw.choice((8, 16, 40))
    options = {"groups": groups, "stride": draw.choice((1, 2)), "padding": filters // 2}
    options["backward"] = draw.choice((True, False))
    outs = channels if groups > 1 else outs

    def of(batch: int, length: int) -> Shapes:
        kernel = (outs, channels // groups) + (filters,) * dimensions
        return [(batch, channels) + (length,) * dimensions, kernel]

    larger = [of(2 * batch, length), of(batch, 2 * length)]
    return Ask("convolution", of(batch, length), larger, dtype, options)


def fastest(ask: Ask, gpu: Gpu) -> float:
    """Operations a second that nothing exceeds."""
    rates = gpu.flops_per_s
    if ask.dtype == "fp64":
        return max(rates["fp64"], rates.get("fp64_tensor", 0.0))
    if ask.op == "linear" and ask.dtype == "fp32":
        return rates["fp32"]
    if ask.dtype in ("fp32", "tf32"):
        return rates.get("tf32", rates["fp32"] * (WINOGRAD if ask.op == "convolution" else 1))
    return max(rates.get(name, 0.0) for name in (ask.dtype, "fp16", "fp32"))


@pytest.mark.parametrize("gpu", GPUS)
def test_no_answer_is_shorter_than_its_arithmetic_or_its_bytes(gpu: str) -> None:
    device = find_gpu(gpu)
    for ask in asks(gpu):
        told = ask.on(gpu)
        least_us = told.flops / fastest(ask, device) * 1e6
        if told.bytes > IN_CACHE * device.l2_bytes:
            least_us = max(least_us, told.bytes / device.memory_bandwidth_bytes_per_s * 1e6)
        assert told.low_us < told.duration_us < told.high_us
        assert told.duration_us >= least_us, (ask, least_us)


@pytest.mark.parametrize("gpu", GPUS)
def test_no_larger_operator_takes_less_time(gpu: str) -> None:
    for ask in asks(gpu):
        time_us = ask.on(gpu).duration_us
        for shapes in ask.larger:
            more_us = ask.on(gpu, shapes).duration_us
            noise = NOISE if ask.op == "linear" and time_us < LEARNED_FLOOR_US else 1.15
            assert more_us * noise >= time_us, (ask, shapes, time_us, more_us)


@pytest.mark.parametrize("gpu", GPUS)
def test_no_collective_takes_less_time_for_more_bytes(gpu: str) -> None:
    for op in ("all_reduce", "all_gather", "all_to_all", "send_recv"):
        for ranks in ("2", "4", "4x4") if gpu not in ALONE else ("1x4",):
            times = [
                maya.estimate(op, [(1 << power,)], "bf16", f"{gpu}:{ranks}").duration_us
                for power in range(4, 33, 4)
            ]
            assert all(less <= more * 1.1 for less, more in pairwise(times)), (op, ranks, times)
