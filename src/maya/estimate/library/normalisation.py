"""Batch normalisation of cuDNN: a block a channel in NCHW, the whole device in NHWC."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from maya.estimate.cost import Cost, estimate_cost, floor_ns, stream_ns
from maya.estimate.gemm.problem import TYPE_BYTES
from maya.estimate.parameters import device_parameters, load
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition
from maya.units import NS_PER_S

THREADS = 512  # a block of cuDNN's kernels for planes
_SPATIAL = (1, 2)  # cudnnBatchNormMode_t: statistics of a channel
# Tensors that a pass touches once, how many are read for the statistics alone, and whether
# shared memory must hold one or two of them for that second reading to be saved.
_TENSORS = {"fwd": 2.0, "bwd": 3.0}
_AGAIN = {"fwd": 1.0, "bwd": 2.0}
_LARGEST_BLOCK = 48 << 10  # shared memory of a block that does not ask for more


@dataclass(frozen=True, slots=True)
class NormCost:
    """How a block that walks the planes of one channel compares with plain streaming."""

    share: float = 0.9  # of the bandwidth
    kept_share: float = 0.75  # of it, where shared memory keeps the channel between its passes
    block_bytes_per_s: float = 15e9  # that one block gets for itself; in fp16 it loads pairs


def norm_estimate(work: Definition, device: Gpu) -> Estimate:
    """From a record named cudnn_norm_*."""
    number = work.number
    direction = "bwd" if work.op.endswith("bwd") else "fwd"
    plane = max(1, number("d", 1)) * max(1, number("h", 1)) * max(1, number("w", 1))
    channels, batch = max(1, number("c", 1)), max(1, number("n", 1))
    size = TYPE_BYTES.get(number("x_type"), 4.0)
    tensor = float(batch * channels * plane) * size
    if number("training", 1) and number("mode") in _SPATIAL and not number("nhwc"):
        values = batch * plane
        busy = planes_ns(channels, values, size, direction, device, _cost(direction))
        moved = tensor * _passes(values * size, direction)
        duration = max(1, round(floor_ns(device) + float(busy)))
        return Estimate(duration, Source.ANALYTICAL, 0.2, bytes=float(moved))
    tensors = _TENSORS[direction]
    if number("training", 1):
        tensors += _AGAIN[direction] * (1 - _kept(tensor * _AGAIN[direction], number, device))
    tensors += 1.0 if number("fused") > 1 else 0.0
    return estimate_cost(Cost(tensor * tensors, serial_ns=1500.0), device, 0.25)


def planes_ns(
    channels: Any, values: Any, size: float, direction: str, device: Gpu, cost: NormCost
) -> Any:
    """Planes of a channel lie apart, and one block reduces them all: few channels leave the
    device idle. For numbers and arrays."""
    passes = _passes(values * size, direction)
    moved = channels * values * size * passes
    again = passes > _TENSORS[direction]
    share = np.where(again, cost.share, cost.kept_share)
    streamed = stream_ns(moved, device, device_parameters(device)) / share
    resident = device.sm_count * (device.max_threads_per_sm // THREADS)
    alone = moved / (np.minimum(channels, resident) * cost.block_bytes_per_s) * NS_PER_S
    return np.hypot(streamed, alone)


def _passes(channel_bytes: Any, direction: str) -> Any:
    kept = channel_bytes * _AGAIN[direction] <= _LARGEST_BLOCK
    return _TENSORS[direction] + np.where(kept, 0.0, _AGAIN[direction])


def _kept(read: float, number: Any, device: Gpu) -> float:
    """Share that persistent kernels hold until the second reading: shared memory of all SMs and
    what is left in L2. Kernels that are not persistent keep nothing."""
    if not number("persistent"):
        return 0.0
    cached = device_parameters(device).cached_share * device.l2_bytes
    return min(1.0, (device.sm_count * device.shared_bytes_per_sm + cached) / max(1.0, read))


@cache
def _cost(direction: str) -> NormCost:
    return NormCost(**load("normalisation.json")[direction])
