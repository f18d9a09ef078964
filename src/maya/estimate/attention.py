"""Fused attention, whichever library runs it."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from maya.estimate.cost import floor_ns, stream_ns
from maya.estimate.parameters import device_parameters, fitted_as, load, load_bytes
from maya.estimate.trees import Trees, load_trees
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu, find_gpu
from maya.units import NS_PER_S

_TILE_QUERIES = 128
# Forward and backward. Memory-efficient kernels are taken for their generation's; no backward but
# FlashAttention's and cuDNN's was measured.
_UNCERTAINTY = {
    "flash2": (0.10, 0.15),
    "efficient": (0.20, 0.20),
    "cudnn": (0.10, 0.15),
    "library": (0.15, 0.25),
}
_MOST_CORRECTION = 0.7  # of the logarithm: trees do not extrapolate
# CUTLASS multiplies fp32 as three products of TF32 (OpMultiplyAddFastF32): as no table has it.
_FP32_PRODUCTS = 3
# Its kernels for heads beyond 128 hold a tile of so many queries (backward: both sides) and keep
# sums in memory. Every tile fetches its operands from L2, and its sums in fp32 there and back.
_RESIDENT_HEAD = 128
_SUM_BYTES = 8
_NOT_MEASURED = 0.35


@dataclass(frozen=True, slots=True)
class _Tile:
    """Of a memory-efficient kernel for large heads."""

    queries: int
    keys: int
    fetched: int  # vectors of a head's size for each row of a tile
    summed: int  # the same, of sums

    def bytes_a_pair(self, dim: Any, width: int) -> Any:
        """Between an SM and L2, for a query and a key that meet."""
        rows = self.fetched * width / min(self.queries, self.keys)
        return dim * (rows + self.summed * _SUM_BYTES / max(self.queries, self.keys))


# Forward K and V pass each tile of queries; backward Q, K, V and dO meet in tiles, and dQ, dK, dV
# are summed.
_TILES = {False: _Tile(32, 128, 2, 1), True: _Tile(64, 64, 4, 3)}


@dataclass(frozen=True, slots=True)
class AttentionParameters:
    """Shares of the tensor cores' peak at large sizes."""

    forward: float = 0.6
    backward: float = 0.48
    small_head: float = 0.88  # of up to 64
    large_head: float = 1.0  # beyond 128
    diagonal: float = 0.5  # of a tile, lost to a causal mask
    tile_ns: float = 2000.0  # filling and draining the pipeline


@dataclass(frozen=True, slots=True)
class AttentionProblem:
    """softmax(Q K^T) V and its gradient; numbers, or arrays of them for calibration."""

    batch: Any
    heads: Any
    kv_heads: Any
    queries: Any
    keys: Any
    dim: Any
    causal: Any = False  # keys behind a query's own are hidden; the last query sees the last key
    backward: bool = False
    implementation: str = "flash2"  # flash2, efficient, cudnn, library (others' own)
    element_bytes: int = 2
    # A sliding window: keys before and behind its own that a query sees.
    left: int | None = None
    right: int | None = None

    @property
    def pairs(self) -> Any:
        """Queries and keys that meet, of one head."""
        hidden = np.where(self.causal, _triangle(self.queries - 1, self.keys), 0.0)
        if self.right is not None:
            hidden = _triangle(self.queries - 1 - self.right, self.keys)
        if self.left is not None:
            hidden = hidden + _triangle(self.keys - 1 - self.left, self.queries)
        return np.maximum(self.queries * self.keys * 1.0 - hidden, self.keys)

    @property
    def flops(self) -> Any:
        """Two products forward, five backward; a mask leaves out what it hides."""
        products = 5 if self.backward else 2
        return 2.0 * self.batch * self.heads * self.pairs * self.dim * products

    @property
    def bytes(self) -> Any:
        """Q, O by query heads and K, V by key heads; backward reads and writes them all."""
        queries = 1.0 * self.batch * self.heads * self.queries * self.dim
        keys = 1.0 * self.batch * self.kv_heads * self.keys * self.dim
        tensors = 4 if self.backward else 2
        return (queries + keys) * tensors * self.element_bytes


def _triangle(first: Any, rows: Any) -> Any:
    """first + (first - 1) + ... over so many rows, none below zero."""
    whole, beyond = np.maximum(first, 0), np.maximum(first - rows, 0)
    return (whole * (whole + 1) - beyond * (beyond + 1)) / 2


def attention_estimate(problem: AttentionProblem, device: Gpu) -> Estimate:
    """Roofline with a fitted share of the tensor cores' peak, corrected where measured."""
    fitted = attention_parameters(problem.implementation, device)
    busy_ns = float(attention_ns(problem, device, fitted))
    source, uncertainty = Source.ANALYTICAL, _doubt(problem)
    trees = _trees(device.id) if problem.implementation == "library" else None
    if trees and not problem.backward:
        # As measured: trees would take another bandwidth for another problem.
        measured = find_gpu(device.id)
        known_ns = busy_ns if measured == device else attention_ns(problem, measured, fitted)
        change = float(trees.predict(attention_features(problem, known_ns, measured))[0])
        busy_ns *= float(np.exp(np.clip(change, -_MOST_CORRECTION, _MOST_CORRECTION)))
        source, uncertainty = Source.LEARNED, 0.06
    return Estimate(
        max(1, round(floor_ns(device) + busy_ns)),
        source,
        uncertainty,
        float(problem.flops),
        float(problem.bytes),
    )


def _doubt(problem: AttentionProblem) -> float:
    """Wider where the kernel follows from its source alone."""
    usual = _UNCERTAINTY[problem.implementation][problem.backward]
    efficient = problem.implementation == "efficient"
    unseen = efficient and (problem.element_bytes == 4 or problem.dim > _RESIDENT_HEAD)
    return max(usual, _NOT_MEASURED) if unseen else usual


def attention_ns(problem: AttentionProblem, device: Gpu, fitted: AttentionParameters) -> Any:
    """Time above that of an empty kernel; the same for numbers and arrays."""
    large = fitted.backward if problem.backward else fitted.forward
    heads = np.where(problem.dim > 128, fitted.large_head, 1.0)
    share = large * np.where(problem.dim <= 64, fitted.small_head, heads)
    rate = _peak(problem, device) * share / _waste(problem, fitted) * filled(problem, device)
    compute_ns = problem.flops / rate * NS_PER_S
    memory = stream_ns(problem.bytes, device, device_parameters(device)) + _l2_ns(problem, device)
    return (compute_ns**4 + memory**4) ** 0.25 + fitted.tile_ns


def _waste(problem: AttentionProblem, fitted: AttentionParameters) -> Any:
    """Tiles at the edge of a mask are computed whole and half of them thrown away; all that may be
    computed is what there is without a mask."""
    keys = problem.keys
    if problem.left is not None or problem.right is not None:
        lost = _window_waste(problem, fitted)
    elif problem.implementation == "library":  # trees correct few keys, as they were fitted
        return np.where(problem.causal, 1 + fitted.diagonal * _TILE_QUERIES / keys, 1.0)
    else:
        tiled = np.maximum(keys, _TILE_QUERIES)
        lost = np.where(problem.causal, 1 + fitted.diagonal * _TILE_QUERIES / tiled, 1.0)
    return np.minimum(lost, problem.queries * keys / problem.pairs)


def _l2_ns(problem: AttentionProblem, device: Gpu) -> Any:
    """What large heads of memory-efficient kernels fetch again and again."""
    if problem.implementation != "efficient":
        return 0.0
    each = _TILES[problem.backward].bytes_a_pair(problem.dim, problem.element_bytes)
    moved = 1.0 * problem.batch * problem.heads * problem.pairs * each
    fitted = device_parameters(device)
    rate = device.memory_bandwidth_bytes_per_s * fitted.memory_efficiency * fitted.cache_speedup
    return np.where(problem.dim > _RESIDENT_HEAD, moved / rate * NS_PER_S, 0.0)


def _window_waste(problem: AttentionProblem, fitted: AttentionParameters) -> Any:
    """Each edge of the window costs what the diagonal of a causal mask costs: a share of half a
    tile beside the keys that a query sees. Assumed: no window was measured."""
    edges = (problem.left is not None) + (problem.right is not None)
    seen = problem.pairs / problem.queries
    return 1 + edges * fitted.diagonal * _TILE_QUERIES / 2 / seen


def _peak(problem: AttentionProblem, device: Gpu) -> float:
    rates = device.flops_per_s
    if problem.element_bytes > 4:
        return rates["fp64"]
    if problem.element_bytes == 4:
        return rates["tf32"] / _FP32_PRODUCTS if "tf32" in rates else rates["fp32"]
    return rates.get("bf16", rates.get("fp16", rates["fp32"]))


def filled(problem: AttentionProblem, device: Gpu) -> Any:
    """Share of the device that the tiles fill on average, by whole waves."""
    rows = problem.keys if problem.backward else problem.queries
    tiles = problem.batch * problem.heads * np.ceil(rows / _TILE_QUERIES)
    slots = device.sm_count * np.where((problem.dim > 64) | problem.backward, 1, 2)
    share = tiles / (np.ceil(tiles / slots) * slots)
    padding = rows / (np.ceil(rows / _TILE_QUERIES) * _TILE_QUERIES)
    return np.maximum(share * padding, 1e-4)


def attention_features(problem: AttentionProblem, busy_ns: Any, device: Gpu) -> Any:
    """What the learned correction sees; a row a problem."""
    tiles = problem.batch * problem.heads * np.ceil(problem.queries / _TILE_QUERIES)
    columns = [
        np.log2(problem.batch),
        np.log2(problem.heads),
        np.log2(problem.heads / problem.kv_heads),
        np.log2(problem.queries),
        problem.dim,
        problem.causal,
        np.log2(busy_ns),
        np.log2(tiles / device.sm_count),
        filled(problem, device),
        np.log2(problem.bytes / device.l2_bytes),
    ]
    return np.stack([np.atleast_1d(np.asarray(column, float)) for column in columns], axis=1)


def attention_parameters(implementation: str, device: Gpu) -> AttentionParameters:
    """Fitted for the GPU, else its architecture, else typical."""
    table = load("attention.json")[implementation]
    values = table.get(device.id) or table.get(fitted_as(device)) or table["default"]
    named = {name: value for name, value in values.items() if name != "harness_ns"}
    fitted = AttentionParameters(**named)
    if "backward" in named:
        return fitted
    known = attention_parameters("flash2", device)
    return replace(fitted, backward=fitted.forward * known.backward / known.forward)


@cache
def _trees(gpu_id: str) -> Trees | None:
    data = load_bytes(f"attention_{gpu_id}.npz")
    return load_trees(data) if data else None
