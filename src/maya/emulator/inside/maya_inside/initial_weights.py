"""Leaves large weights on the host as they are allocated: zeros in pages that nobody has touched.

Random weights of a model that is built on the CPU take minutes and the host's memory, only to be
copied to a device whose large tensors have no values anyway.
"""

from functools import wraps
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

# malloc maps such blocks anew whatever was freed before (the most that M_MMAP_THRESHOLD grows to).
_LARGE_BYTES = 32 << 20
_METHODS = ("normal_", "uniform_")
_FUNCTIONS = ("_no_grad_trunc_normal_",)  # of torch.nn.init: works on the values that it drew
_weights: "WeakValueDictionary[int, Any]" = WeakValueDictionary()  # by the address of their data


def activate(init: Any) -> None:
    """Called once torch.nn.init has been imported."""
    import torch

    kind: Any = import_module("torch.nn.parameter").Parameter
    kind.__new__ = _noted(kind.__new__)
    for name in _METHODS:
        setattr(torch.Tensor, name, _unless_large(getattr(torch.Tensor, name)))
    for name in _FUNCTIONS:
        if hasattr(init, name):
            setattr(init, name, _unless_large(getattr(init, name)))


def _noted(make: Any) -> Any:
    @wraps(make)
    def made(*arguments: Any, **options: Any) -> Any:
        parameter = make(*arguments, **options)
        if _is_large(parameter):
            _weights[parameter.data_ptr()] = parameter
        return parameter

    return staticmethod(made)


def _unless_large(fill: Any) -> Any:
    @wraps(fill)
    def filled(tensor: Any, *arguments: Any, **options: Any) -> Any:
        return tensor if _is_weight(tensor) else fill(tensor, *arguments, **options)

    return filled


def _is_weight(tensor: Any) -> bool:
    """A parameter, or its data; memory may belong to something else by now."""
    if not _weights or not _is_large(tensor):
        return False
    owner = _weights.get(tensor.data_ptr())
    return owner is not None and owner.data_ptr() == tensor.data_ptr()


def _is_large(tensor: Any) -> bool:
    """On the host, and with memory of its own: not fake, sparse or distributed."""
    import torch

    if tensor.device.type != "cpu" or tensor.layout is not torch.strided:
        return False
    if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return False
    return bool(tensor.numel() * tensor.element_size() >= _LARGE_BYTES)
