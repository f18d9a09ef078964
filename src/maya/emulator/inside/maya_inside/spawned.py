"""Programs that start their own ranks with torch.multiprocessing: only those that differ are run.

The script is run until it spawns a process for each GPU; then all ranks are handed over, and the
script is run once more for each that is launched. It comes to the same call, and does its share.
"""

import os
from functools import wraps
from types import ModuleType
from typing import Any

from maya_inside.handing import hand_over_own_ranks, is_own_rank


def activate(module: ModuleType) -> None:
    """Stand in for what starts one process for each index."""
    stand_in = _own_share if is_own_rank() else _handed_over
    module.start_processes = stand_in(module.start_processes)  # type: ignore[attr-defined]


def _own_share(start: Any) -> Any:
    """In a rank of ours: what the process of its index would do."""

    @wraps(start)
    def started(function: Any, args: Any = (), nprocs: int = 1, *more: Any, **options: Any) -> Any:
        if not _one_for_each_gpu(nprocs, *more, **options):
            return start(function, args, nprocs, *more, **options)
        return function(int(os.environ["LOCAL_RANK"]), *args)

    return started


def _handed_over(start: Any) -> Any:
    @wraps(start)
    def started(function: Any, args: Any = (), nprocs: int = 1, *more: Any, **options: Any) -> Any:
        if "WORLD_SIZE" in os.environ or not _one_for_each_gpu(nprocs, *more, **options):
            return start(function, args, nprocs, *more, **options)
        return hand_over_own_ranks(nprocs, nprocs)

    return started


def _one_for_each_gpu(nprocs: int, join: bool = True, *_: Any, **__: Any) -> bool:
    """Others load data or talk to who started them: they are left as they are."""
    import torch

    return join and 1 < nprocs == torch.cuda.device_count()
