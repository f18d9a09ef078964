"""Lets a kernel under `triton.autotune` compile one candidate instead of all that nothing can time.

Libraries of Triton kernels list up to a hundred candidates for each. Without a GPU their times are
noise, building them takes minutes, and the trial runs would stand in the record. The likeliest that
the device has room for is built, and run once.
"""

import math
import re
from functools import wraps
from typing import Any

_SIDE = re.compile(r"B[A-Z]{1,2}|.*BLOCK.*", re.IGNORECASE)  # BK, BLOCK_M, XBLOCK, BLOCK_SIZE_N
# What most kernels are fastest with: elements of a tile, and of it for each thread.
_TILE, _TILE_OF_THREAD = 128 * 128, 64
_LINE, _LINE_OF_THREAD = 1024, 8
_USUAL_STAGES = 3
_WARP = 32
_NEVER = [math.inf] * 3


def activate(module: Any) -> None:
    """Called once triton.runtime.autotuner has been imported."""
    tuner: Any = getattr(module, "Autotuner", None)
    if not (hasattr(tuner, "prune_configs") and hasattr(tuner, "_bench")):
        return  # another version of Triton: it works, only longer
    prune, bench = tuner.prune_configs, tuner._bench

    @wraps(prune)
    def prune_configs(self: Any, *arguments: Any, **options: Any) -> list[Any]:
        self.maya_built = False
        return by_likelihood(prune(self, *arguments, **options))

    @wraps(bench)
    def bench_first(self: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(self, "maya_built", False):
            return _NEVER
        vars(self)["do_bench"] = _once
        times = bench(self, *arguments, **options)
        self.maya_built = times[0] < math.inf  # else it was too large for the device
        return times

    tuner.prune_configs, tuner._bench = prune_configs, bench_first


def _once(kernel_call: Any, *_: Any, **__: Any) -> list[float]:
    kernel_call()
    return [1.0] * 3


def by_likelihood(configs: Any) -> list[Any]:
    """The candidates, those first that a GPU would hardly ever be slow with."""
    return sorted(configs, key=_oddity)


def _oddity(config: Any) -> tuple[float, float, float]:
    sides = [value for name, value in config.kwargs.items() if _is_side(name, value)]
    tile, of_thread = (_TILE, _TILE_OF_THREAD) if len(sides) > 1 else (_LINE, _LINE_OF_THREAD)
    area = math.prod(sorted(sides)[-2:]) if sides else tile
    warps = max(min(tile, area) / of_thread / _WARP, 1)
    return (
        abs(math.log2(area / tile)),
        abs(math.log2(config.num_warps / warps)),
        abs(config.num_stages - _USUAL_STAGES),
    )


def _is_side(name: str, value: Any) -> bool:
    return isinstance(value, int) and value > 0 and bool(_SIDE.fullmatch(name))
