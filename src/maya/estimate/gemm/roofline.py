"""Time of a matrix product from tiles, waves and bandwidth; few parameters, fitted per GPU.

A kernel cuts the result into tiles; the device computes as many at a time as it has SMs, so the
last wave may be nearly empty. The library picks the tile and the split of k that do best, and so
does this model. Written on arrays: fitting needs thousands of problems at once.
"""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from maya.hardware import Gpu
from maya.units import NS_PER_S

Array = npt.NDArray[np.float64]
TILES = ((256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (64, 32), (32, 64))
SPLITS = (1, 2, 4, 8, 16)
# Sums of many thousands of terms for a few results: gradients of small weights over a whole batch.
DEEP_SPLITS = (32, 64, 128, 256)
_LEAST_DEPTH, _LEAST_DEEP = 128, 2048  # terms that a part keeps
_SWEPT_DEPTH = 65_536  # where sweeps of products, and the trees fitted to them, end
_BIG_TILE = 128 * 256
_WEIGHT_COPIES = 6


@dataclass(frozen=True, slots=True)
class RooflineParameters:
    """What a GPU and its library make of a product."""

    floor_ns: float = 2200.0
    efficiency: float = 0.80  # of the peak, in large tiles
    small_tile_power: float = 0.25  # efficiency falls with (tile / big tile) ** power
    tile_ns: float = 900.0  # filling and draining a tile's pipeline, writing it
    memory_efficiency: float = 0.80
    cached_share: float = 0.7  # footprint over L2 at which half of the accesses still hit
    cache_speedup: float = 2.0  # bandwidth of L2 over that of memory
    split_ns: float = 700.0  # adding up the parts of a split product
    stores: float = 0.0  # share of the result's bytes that no arithmetic hides


# Those that a sweep of products decides; stores are hidden in tensor cores' kernels.
SWEPT = tuple(field.name for field in fields(RooflineParameters) if field.name != "stores")


@dataclass(frozen=True, slots=True)
class Problems:
    """Columns of problems."""

    m: Array
    n: Array
    k: Array
    batch: Array
    in_bytes: float
    out_bytes: float


@dataclass(frozen=True, slots=True)
class Times:
    """The model's answer and what it consists of."""

    total_ns: Array
    compute_ns: Array
    memory_ns: Array
    waves: Array  # of the best tile
    tile: Array  # index into TILES
    split: Array


def roofline(
    problems: Problems,
    device: Gpu,
    peak: float,
    fit: RooflineParameters,
    splits: tuple[int, ...] = SPLITS,
) -> Times:
    """Best tile and split for each problem."""
    memory = memory_time(problems, device, fit)
    best = np.full(problems.m.shape, np.inf)
    compute = np.zeros_like(best)
    waves, tile, split = np.zeros_like(best), np.zeros_like(best), np.ones_like(best)
    depths: dict[int, float | Array] = {
        parts: _LEAST_DEPTH if parts > 1 else 0.0 for parts in splits
    }
    if splits == SPLITS and problems.k.max() > _SWEPT_DEPTH:
        deep = np.where(problems.k > _SWEPT_DEPTH, _LEAST_DEEP, np.inf)
        depths |= dict.fromkeys(DEEP_SPLITS, deep)
    for index, shape in enumerate(TILES):
        for parts, least in depths.items():
            busy, count = _compute(problems, device, peak, fit, shape, parts)
            busy = np.where(problems.k / parts < least, np.inf, busy)
            better = busy < best
            best = np.where(better, busy, best)
            compute = np.where(better, busy, compute)
            waves = np.where(better, count, waves)
            tile = np.where(better, index, tile)
            split = np.where(better, parts, split)
    # Loads hide behind arithmetic, but not wholly: a smooth maximum.
    total = fit.floor_ns + (best**4 + memory**4) ** 0.25
    if fit.stores:
        total = total + fit.stores * _result_ns(problems, device, fit)
    return Times(total, compute, memory, waves, tile, split)


def memory_time(problems: Problems, device: Gpu, fit: RooflineParameters) -> Array:
    """Operands from L2 as far as they are still there, from memory beyond.

    Measurements cycle through copies of the weights, as a model does through its layers: weights
    are still in L2 only where all copies fit. Activations come from the kernel before.
    """
    activations = problems.batch * problems.m * problems.k * problems.in_bytes
    weights = problems.batch * problems.n * problems.k * problems.in_bytes
    result = problems.batch * problems.m * problems.n * problems.out_bytes
    flowing = activations + result
    moved = weights * _from_memory(_WEIGHT_COPIES * weights + flowing, device, fit)
    moved = moved + flowing * _from_memory(weights + flowing, device, fit)
    bandwidth = device.memory_bandwidth_bytes_per_s * fit.memory_efficiency
    return np.asarray(moved / bandwidth * NS_PER_S)


def _result_ns(problems: Problems, device: Gpu, fit: RooflineParameters) -> Array:
    """Kernels without asynchronous stores write a tile while its SM computes nothing."""
    result = problems.batch * problems.m * problems.n * problems.out_bytes
    cost = _from_memory(result, device, fit)
    bandwidth = device.memory_bandwidth_bytes_per_s * fit.memory_efficiency
    return np.asarray(result * cost / bandwidth * NS_PER_S)


def _from_memory(footprint: Array, device: Gpu, fit: RooflineParameters) -> Array:
    """Cost of a byte against one from memory."""
    hits = 1 / (1 + (footprint / (fit.cached_share * device.l2_bytes)) ** 4)
    return np.asarray(1 - hits + hits / fit.cache_speedup)


def _compute(
    problems: Problems,
    device: Gpu,
    peak: float,
    fit: RooflineParameters,
    shape: tuple[int, int],
    parts: int,
) -> tuple[Array, Array]:
    """Time of the arithmetic with one tile shape, and its waves."""
    rows, columns = shape
    area = rows * columns
    per_sm = max(1, _BIG_TILE // area // 2)  # small tiles share an SM
    tiles = np.ceil(problems.m / rows) * np.ceil(problems.n / columns) * problems.batch * parts
    slots = device.sm_count * per_sm
    waves = np.ceil(tiles / slots)
    share = fit.efficiency * (area / _BIG_TILE) ** fit.small_tile_power
    rate = peak / device.sm_count * share / per_sm
    # A last wave that leaves SMs half empty runs its tiles faster: they share less.
    depth = np.ceil(problems.k / parts / 32) * 32
    tile_ns = 2.0 * area * depth / rate * NS_PER_S
    full = np.floor(tiles / slots)
    rest = np.ceil((tiles - full * slots) / device.sm_count) / per_sm
    busy = (full + rest) * tile_ns + (full + (rest > 0)) * fit.tile_ns
    extra = fit.split_ns * np.log2(parts) if parts > 1 else 0.0
    return np.asarray(busy + extra), np.asarray(waves)
