"""Tells the core where PyTorch's optimisers step, so that it need not guess from their kernels."""

import ctypes
from functools import wraps
from typing import Any


def activate(module: Any) -> None:
    """Called once torch.optim.optimizer has been imported."""
    core = ctypes.CDLL(None)
    hook = getattr(module, "register_optimizer_step_post_hook", None)
    if hook is None or not hasattr(core, "maya_optimizer_made"):
        return  # an old torch, or a child that was started without the emulated libraries
    make = module.Optimizer.__init__

    @wraps(make)
    def made(optimizer: Any, *arguments: Any, **options: Any) -> None:
        core.maya_optimizer_made()
        make(optimizer, *arguments, **options)

    def tell_core_of_step(*_: Any) -> None:
        core.maya_optimizer_stepped()

    module.Optimizer.__init__ = made
    hook(tell_core_of_step)
