"""Tells the core which tensors the program brings from the host: their sizes are its batch's."""

import ctypes
import threading
from functools import wraps
from typing import Any

_METHODS = ("to", "cuda")
_inside = threading.local()


def activate(cuda: Any) -> None:
    """Called when torch.cuda has just been imported: begin when the device is first used."""
    cuda._lazy_call(_begin)


def _begin() -> None:
    import torch

    core = ctypes.CDLL(None)
    if not hasattr(core, "maya_fed_tensor"):
        return
    core.maya_fed_tensor.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_int]
    for name in _METHODS:
        setattr(torch.Tensor, name, _told(getattr(torch.Tensor, name), torch.Tensor, core))


def _told(move: Any, plain: Any, core: Any) -> Any:
    """Methods, because the dispatcher's way to a copy is also that of every cast on the device.

    PyTorch looks the function that it hands to tensors' subclasses up by its name, so that they
    find this one wherever they expect the real one.
    """

    @wraps(move)
    def moved(tensor: Any, *arguments: Any, **options: Any) -> Any:
        if tensor.is_cuda or getattr(_inside, "on", False):
            return move(tensor, *arguments, **options)
        _inside.on = True  # a subclass may call this again, for itself
        try:
            result = move(tensor, *arguments, **options)
            if result.is_cuda and _is_data(tensor, plain):
                _tell(core, tensor)
            return result
        finally:
            _inside.on = False

    return moved


def _is_data(tensor: Any, plain: Any) -> bool:
    """Neither a weight nor one of those that stand for a tensor (fake, distributed)."""
    return not tensor.requires_grad and type(tensor).__torch_dispatch__ is plain.__torch_dispatch__


def _tell(core: Any, tensor: Any) -> None:
    sizes = tuple(tensor.shape)
    array = (ctypes.c_int64 * len(sizes))(*sizes)
    is_integer = not (tensor.is_floating_point() or tensor.is_complex())
    core.maya_fed_tensor(len(sizes), array, is_integer)
