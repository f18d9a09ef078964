"""Lets JAX find the device, and compile in seconds."""

import ctypes
import os
from types import ModuleType

HARDWARE = "jax._src.hardware_utils"
# For each matrix product XLA builds a hundred kernels and times them and cuBLAS's. Nothing here can
# time them, and building takes minutes. XLA's own seldom win a large product, so cuBLAS has all.
_FLAGS = {"xla_gpu_autotune_level": "0", "xla_gpu_enable_triton_gemm": "false"}


def activate(module: ModuleType) -> None:
    """Called once the module that looks for the driver's device files has been imported."""
    if not hasattr(ctypes.CDLL(None), "cuInit"):  # a child without the emulated libraries
        return
    module.__dict__["has_visible_nvidia_gpu"] = lambda: True
    os.environ["XLA_FLAGS"] = with_flags(os.environ.get("XLA_FLAGS", ""))


def with_flags(given: str) -> str:
    """What the user has set stays."""
    added = [f"--{name}={value}" for name, value in _FLAGS.items() if f"--{name}=" not in given]
    return " ".join(filter(None, [given, *added]))
