"""Tells the core of steps and ranges that only PyTorch's profiler would hear of."""

import ctypes
import importlib.util
import os
from functools import wraps
from types import ModuleType
from typing import Any

MODULES = ("torch.profiler.profiler", "torch.autograd.profiler")


def activate(module: ModuleType) -> None:
    """Called once such a module has been imported."""
    core = ctypes.CDLL(None)
    if not hasattr(core, "maya_range_begun"):
        return  # a child that was started without the emulated libraries
    if module.__name__ == "torch.profiler.profiler":
        _tell(module.profile, "step", lambda profile: f"ProfilerStep#{profile.step_num}", core)
        if os.environ.get("MAYA_CLOCK"):
            _count_nanoseconds(core)
    elif os.environ.get("MAYA_STEP_MARKER"):  # else every range would pay for it
        _tell(module.record_function, "__enter__", lambda range_: str(range_.name), core)


def _count_nanoseconds(core: ctypes.CDLL) -> None:
    """Kineto stamps device work with the processor's cycles, which no virtual clock reaches."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        return
    library = ctypes.CDLL(os.path.join(os.path.dirname(torch.origin), "lib", "libtorch_cpu.so"))
    cycles = getattr(library, "_ZN9libkineto13use_cupti_tscEv", None)
    if cycles is not None:
        cycles.restype = ctypes.POINTER(ctypes.c_bool)
        core.maya_count_nanoseconds(cycles())


def _tell(owner: Any, method: str, name_of: Any, core: ctypes.CDLL) -> None:
    call = getattr(owner, method)

    @wraps(call)
    def told(self: Any, *arguments: Any) -> Any:
        core.maya_range_begun(name_of(self).encode())
        return call(self, *arguments)

    setattr(owner, method, told)
