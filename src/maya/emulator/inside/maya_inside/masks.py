"""Fills the block masks of flex attention with what their function says.

They are made on the device from positions and document ids, element by element, which is more than
values are followed for. The same is done on the host with what these tensors are known to hold.
"""

import ctypes
import math
import threading
import types
import weakref
from functools import wraps
from typing import Any

from maya_inside.device_values import DeviceValues

_MOST_ELEMENTS = 1 << 28  # of the whole mask, a byte each: the host makes it for a moment
_SIZES = ("B", "H", "Q_LEN", "KV_LEN")  # of create_block_mask, behind the function
_OPTIONS = ("device", "BLOCK_SIZE", "_compile")
_COUNTS = ("kv_num_blocks", "full_kv_num_blocks", "q_num_blocks", "full_q_num_blocks")
_PARTS = (
    *("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices"),
    *("q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices"),
)


class _UnknownError(Exception):
    """The mask depends on something that has no known value."""


def activate(flex: Any) -> None:
    """Called once torch.nn.attention.flex_attention has been imported."""
    core = ctypes.CDLL(None)
    if hasattr(core, "maya_know_block_mask"):
        flex.create_block_mask = _filled(flex.create_block_mask, core)


def _filled(create: Any, core: Any) -> Any:
    import torch

    @wraps(create)
    def made(mask_mod: Any, *sizes: Any, **options: Any) -> Any:
        mask = create(mask_mod, *sizes, **options)
        if torch.compiler.is_compiling() or mask.kv_num_blocks.device.type != "cuda":
            return mask
        exact = _elsewhere(lambda: _on_host(create, core, mask_mod, sizes, options))
        if exact is not None:
            values = DeviceValues(torch, core)
            for name in _PARTS:
                _copy(values, getattr(mask, name), getattr(exact, name))
            _tell(core, mask, *_blocks(exact))
        return mask

    return made


def _elsewhere(work: Any) -> Any:
    """On a thread of its own: CPU time of the program's is part of its steps."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0] if found else None


def _on_host(create: Any, core: Any, mask_mod: Any, sizes: Any, options: Any) -> Any:
    """None where it is too large or something is unknown."""
    import torch

    named = dict(zip(_SIZES + _OPTIONS, sizes, strict=False)) | options
    if math.prod(named.get(name) or 1 for name in _SIZES) > _MOST_ELEMENTS:
        return None
    named |= {"device": "cpu", "_compile": False}
    try:
        own = _known(mask_mod, DeviceValues(torch, core), torch)
        return create(own, **named)
    except Exception:  # a mask that only works on the device is left unknown
        return None


def _known(thing: Any, values: Any, torch: Any) -> Any:
    """The same on the host: a function with what it refers to, or a tensor."""
    if isinstance(thing, torch.Tensor):
        found = values.read(thing) if thing.is_cuda else thing
        if found is None:
            raise _UnknownError
        return found
    if isinstance(thing, tuple):
        return tuple(_known(one, values, torch) for one in thing)
    if not isinstance(thing, types.FunctionType):
        return thing
    cells = [_known(cell.cell_contents, values, torch) for cell in thing.__closure__ or ()]
    around = thing.__globals__ | {
        name: _known(one, values, torch)
        for name, one in thing.__globals__.items()
        if name in thing.__code__.co_names and _is_own(one, thing, torch)
    }
    closure = tuple(map(types.CellType, cells))
    return types.FunctionType(thing.__code__, around, thing.__name__, thing.__defaults__, closure)


def _is_own(one: Any, function: Any, torch: Any) -> bool:
    """A tensor, or another function of the same file, which may refer to one."""
    if isinstance(one, types.FunctionType):
        return one is not function and one.__module__ == function.__module__
    return isinstance(one, torch.Tensor)


def _copy(values: Any, tensor: Any, exact: Any) -> None:
    if tensor is not None and exact is not None and tensor.shape == exact.shape:
        values.write(tensor, exact.to(tensor.dtype))


def _blocks(mask: Any) -> tuple[int, int]:
    """Those that are computed, and all."""
    computed = int(mask.kv_num_blocks.sum())
    if mask.full_kv_num_blocks is not None:
        computed += int(mask.full_kv_num_blocks.sum())
    return computed, mask.kv_indices.numel()


def _tell(core: Any, mask: Any, computed: int, blocks: int) -> None:
    """Kernels are given its tensors, by which they know it as long as these live."""
    number, address = ctypes.c_int64, ctypes.c_void_p
    core.maya_note_block_mask(number(computed), number(blocks))
    for name in _COUNTS:
        counts = getattr(mask, name)
        if counts is not None:
            place = counts.data_ptr()
            core.maya_know_block_mask(address(place), number(computed), number(blocks))
            end = weakref.finalize(counts, core.maya_forget_block_mask, address(place))
            end.atexit = False
