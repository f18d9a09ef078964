"""Fused attention, whichever library runs it."""

from dataclasses import dataclass
from math import ceil

from maya.estimate.cost import floor_ns, memory_ns
from maya.estimate.parameters import load
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.units import NS_PER_S

_TILE_QUERIES = 128


@dataclass(frozen=True, slots=True)
class AttentionProblem:
    """softmax(Q K^T) V and its gradient."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    dim: int
    causal: bool = False
    backward: bool = False
    implementation: str = "flash2"  # flash2, library (FlashAttention 3 class), efficient
    element_bytes: int = 2

    @property
    def flops(self) -> float:
        """Two products forward, five backward; a causal mask leaves out what it hides."""
        pairs = float(self.queries * self.keys)
        if self.causal:
            pairs = min(pairs, self.queries * (self.keys - (self.queries - 1) / 2))
        products = 5 if self.backward else 2
        return 2.0 * self.batch * self.heads * pairs * self.dim * products

    @property
    def bytes(self) -> float:
        """Q, O by query heads and K, V by key heads; backward reads and writes them all."""
        queries = self.batch * self.heads * self.queries * self.dim
        keys = self.batch * self.kv_heads * self.keys * self.dim
        tensors = 4 if self.backward else 2
        return float((queries + keys) * tensors * self.element_bytes)


def attention_estimate(problem: AttentionProblem, device: Gpu) -> Estimate:
    """Roofline with a fitted share of the tensor cores' peak and whole waves of tiles."""
    busy_ns = attention_ns(problem, device)
    uncertainty = 0.15 if problem.backward else 0.10
    return Estimate(
        max(1, round(floor_ns(device) + busy_ns)),
        Source.ANALYTICAL,
        uncertainty,
        problem.flops,
        problem.bytes,
    )


def attention_ns(problem: AttentionProblem, device: Gpu) -> float:
    """Time above that of an empty kernel."""
    fitted = efficiency(problem, device)
    peak = device.flops_per_s.get(
        "bf16" if device.major >= 8 else "fp16", device.flops_per_s["fp32"]
    )
    if problem.element_bytes == 4:
        peak = device.flops_per_s.get("tf32", device.flops_per_s["fp32"])
    compute_ns = problem.flops / (peak * fitted) * NS_PER_S / filled(problem, device)
    return max(compute_ns, memory_ns(problem.bytes, device))


def filled(problem: AttentionProblem, device: Gpu) -> float:
    """Share of the device that the tiles fill on average, by whole waves."""
    rows = problem.keys if problem.backward else problem.queries
    tiles = problem.batch * problem.heads * ceil(rows / _TILE_QUERIES)
    slots = device.sm_count * (1 if problem.backward or problem.dim > 64 else 2)
    share = tiles / (ceil(tiles / slots) * slots)
    padding = rows / (ceil(rows / _TILE_QUERIES) * _TILE_QUERIES)
    return max(share * padding, 1e-3)


def efficiency(problem: AttentionProblem, device: Gpu) -> float:
    """Share of the tensor cores' peak at large sizes."""
    table = load("attention.json")["efficiency"]
    by_kind = table[problem.implementation]
    values = by_kind.get(device.architecture, by_kind["default"])
    share: float = values["backward" if problem.backward else "forward"]
    small_head = values["head64"] if problem.dim <= 64 else 1.0
    # Tiles on the diagonal are computed whole and half of them thrown away.
    wasted = 1 + _TILE_QUERIES / (2 * problem.keys) if problem.causal else 1.0
    scale: float = share * small_head / wasted
    return scale
