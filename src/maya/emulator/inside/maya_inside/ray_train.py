"""Ray Train starts an actor for each rank: only those ranks that differ are run, without Ray.

The script is run until it calls `fit`; then all ranks are handed over, and the script is run once
more for each that is launched. There Ray's own local mode, made for torchrun, does a rank's share.
"""

import os
from functools import wraps
from types import ModuleType
from typing import Any

from maya_inside.handing import hand_over_own_ranks, is_own_rank


def activate(module: ModuleType) -> None:
    """Stand in for what starts Ray's actors, or joins them in one of our ranks."""
    trainer = module.DataParallelTrainer
    trainer.fit = (_in_a_rank if is_own_rank() else _handed_over)(trainer.fit)


def _in_a_rank(fit: Any) -> Any:
    @wraps(fit)
    def fitted(trainer: Any) -> Any:
        trainer.running_in_local_mode = True
        return fit(trainer)

    return fitted


def _handed_over(fit: Any) -> Any:
    @wraps(fit)
    def fitted(trainer: Any) -> Any:
        ranks = _ranks(trainer)
        if ranks < 1 or trainer.datasets or "WORLD_SIZE" in os.environ:
            return fit(trainer)  # Ray Data feeds actors only
        import torch

        return hand_over_own_ranks(ranks, min(ranks, torch.cuda.device_count()))

    return fitted


def _ranks(trainer: Any) -> int:
    """That are to have a GPU; 0 where their number is left open."""
    scaling = trainer.scaling_config
    workers = scaling.num_workers
    return workers if scaling.use_gpu and isinstance(workers, int) else 0
