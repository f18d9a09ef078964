"""Tells the core which batches PyTorch's loaders deliver, and how many samples each holds.

The loader draws as many indices as a batch has samples, whatever becomes of them when they are put
together: padded, packed into one row, joined to one graph, or left a list of images.
"""

import ctypes
import os
from collections import deque
from functools import wraps
from itertools import count
from types import ModuleType
from typing import Any

_OF_NODES = ("NeighborLoader", "LinkNeighborLoader", "GraphSAINTSampler")
_numbers = count(1)


def activate(module: ModuleType) -> None:
    """Called once torch.utils.data.dataloader has been imported."""
    core = ctypes.CDLL(None)
    if not hasattr(core, "maya_fed_batch"):
        return  # a child that was started without the emulated libraries
    core.maya_fed_batch.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_char_p]
    iterator = module._BaseDataLoaderIter
    iterator.__init__ = _made(iterator.__init__)
    iterator._next_index = _drawn(iterator._next_index)
    iterator.__next__ = _delivered(iterator.__next__, core, os.getpid())


def _made(make: Any) -> Any:
    @wraps(make)
    def made(self: Any, loader: Any, *arguments: Any, **options: Any) -> None:
        self._maya_sizes, self._maya_unit = deque(), _unit(type(loader))
        self._maya_loader = vars(loader).setdefault("_maya_number", next(_numbers))
        make(self, loader, *arguments, **options)

    return made


def _drawn(draw: Any) -> Any:
    """Workers are given indices some batches ahead; they deliver in the same order."""

    @wraps(draw)
    def drawn(self: Any) -> Any:
        index = draw(self)
        self._maya_sizes.append(len(index) if isinstance(index, list | tuple) else 0)
        return index

    return drawn


def _delivered(deliver: Any, core: Any, process: int) -> Any:
    @wraps(deliver)
    def delivered(self: Any) -> Any:
        batch = deliver(self)
        if self._maya_sizes and os.getpid() == process:
            core.maya_fed_batch(self._maya_loader, self._maya_sizes.popleft(), self._maya_unit)
        return batch

    return delivered


def _unit(kind: type) -> bytes:
    """What one element of the loader's data set is."""
    if not kind.__module__.startswith("torch_geometric."):
        return b"samples"
    return b"nodes" if kind.__name__ in _OF_NODES else b"graphs"
