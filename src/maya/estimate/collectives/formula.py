"""Closed forms behind the collective model.

Each algorithm moves a known number of bytes over each GPU's link. A protocol turns that into time:
start-up, bandwidth, and a term in the square root of the bytes, which is what filling a pipeline of
chunks of the best size costs.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Protocol:
    """LL, LL128 or Simple of NCCL (or NVLS), with fitted constants."""

    name: str
    start_us: float
    efficiency: float  # of the link's data-sheet bandwidth
    fill: float  # us per square root of a us of pure transfer
    limit_us: float = math.inf  # NCCL's tuner leaves it above this much transfer, wise or not

    def time_us(self, transfer_us: float) -> float:
        """Time of a collective that would take `transfer_us` on perfect links."""
        if transfer_us > self.limit_us:
            return math.inf
        pure = transfer_us / self.efficiency
        return self.start_us + pure + self.fill * math.sqrt(pure)


def link_bytes(op: str, size: float, ranks: int) -> float:
    """Bytes that leave each GPU. `size` is the whole buffer, as nccl-tests counts it."""
    others = (ranks - 1) / ranks
    match op:
        case "all_reduce":
            return 2 * others * size
        case "all_gather" | "reduce_scatter" | "alltoall" | "gather" | "scatter":
            return others * size
        case _:  # sendrecv, broadcast, reduce
            return size
