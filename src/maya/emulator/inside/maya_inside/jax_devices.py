"""JAX asks for the driver's device files before it loads its CUDA plugin."""

import ctypes
from types import ModuleType

HARDWARE = "jax._src.hardware_utils"


def activate(module: ModuleType) -> None:
    """Called once the module that looks for them has been imported."""
    if hasattr(ctypes.CDLL(None), "cuInit"):  # not in a child without the emulated libraries
        module.__dict__["has_visible_nvidia_gpu"] = lambda: True
