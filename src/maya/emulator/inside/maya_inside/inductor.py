"""Lets torch.compile build one candidate of each kernel instead of several that nothing can time.

Inductor compiles a handful of block sizes for many kernels, runs each and keeps the fastest.
Without a GPU the times are noise: the choice would differ from run to run, and much of the time
that a compiled program takes to start would go into candidates that are thrown away. Both the
program and Inductor's compile workers come here.
"""

import math
from functools import wraps
from typing import Any

_FULL_BLOCK = 256  # elements; Inductor itself gives longer rows a block each
_TUNED_BY_TIME = ("POINTWISE", "REDUCTION", "PERSISTENT_REDUCTION", "SPLIT_SCAN")
_SEARCHES = ("coordinate_descent_tuning", "dynamic_scale_rblock")  # further candidates, later on


def activate(module: Any) -> None:
    """Called once torch._inductor.runtime.triton_heuristics has been imported."""
    tune = getattr(module, "cached_autotune", None)
    if tune is None:
        return  # another version of torch: it works, only longer

    @wraps(tune)
    def choose(size_hints: Any, configs: list[Any], *arguments: Any, **options: Any) -> Any:
        kind = getattr(options.get("heuristic_type"), "name", "")
        if kind in _TUNED_BY_TIME:
            configs = [likely(configs, row_elements(size_hints, kind))]
            meta = options.get("inductor_meta") or {}
            options["inductor_meta"] = meta | dict.fromkeys(_SEARCHES, False)
        return tune(size_hints, configs, *arguments, **options)

    module.cached_autotune = choose


def likely(configs: list[Any], row: int | None) -> Any:
    """The candidate that a GPU would hardly ever be slow with.

    `row`: elements of a reduction whose rows stay whole. Short rows want a block of several. In all
    other kernels the longest short side is best: whichever way the data lie, neighbours are read
    together.
    """
    if row is None:
        return max(configs, key=lambda config: min(_sides(config)))
    whole = (config for config in configs if row * math.prod(_sides(config)) >= _FULL_BLOCK)
    return next(whole, configs[-1])


def row_elements(size_hints: Any, kind: str) -> int | None:
    """How long the rows of a persistent reduction are; None for anything else."""
    if kind != "PERSISTENT_REDUCTION":
        return None
    if isinstance(size_hints, dict):
        return math.prod(int(size) for name, size in size_hints.items() if name[0] == "r")
    return int(size_hints[-1])  # torch before 2.6: the reduced size stands last


def _sides(config: Any) -> list[int]:
    return [size for name, size in config.kwargs.items() if name.endswith("BLOCK")] or [1]
