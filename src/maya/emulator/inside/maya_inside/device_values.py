"""Small tensors on the emulated device whose values are known: read and written behind its back.

Copies made through torch would be recorded as the program's.
"""

import ctypes
from typing import Any

MOST_ELEMENTS = 65536
MOST_BYTES = 1 << 20


class DeviceValues:
    """The core's view of a tensor's bytes."""

    def __init__(self, torch: Any, core: Any) -> None:
        self._torch = torch
        self._known_bytes = core.maya_known_bytes
        self._known_bytes.restype = ctypes.c_size_t
        self._known_bytes.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        self._peek, self._poke = core.maya_peek, core.maya_poke
        for function in (self._peek, self._poke):
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
            function.restype = None
        self._expect, self._assume = core.maya_expect_count, core.maya_assume_one
        self._expect.argtypes = [ctypes.c_int64]
        self._assume.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._assume_number, self._likely = core.maya_assume, core.maya_likely
        address, size = ctypes.c_void_p, ctypes.c_size_t
        self._assume_number.argtypes = [address, address, size, ctypes.c_int, ctypes.c_int]
        self._likely.argtypes = [address, address, size]
        self._assume_condition = core.maya_assume_condition
        self._assume_condition.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def read(self, tensor: Any) -> Any:
        """A copy on the CPU with the same strides; None where an element is unknown."""
        span = _span(tensor)
        if span > MOST_BYTES:
            return None
        torch = self._torch
        if not span:
            return torch.empty(tensor.shape, dtype=tensor.dtype)
        raw = torch.empty(2, span, dtype=torch.uint8)
        values, mask = raw.data_ptr(), raw.data_ptr() + span
        known = self._known_bytes(tensor.data_ptr(), span, mask)
        if not known:
            return None
        layout = tensor.size(), tensor.stride()
        if known < span and not bool(_elements(raw[1], tensor).all()):
            return None
        self._peek(values, tensor.data_ptr(), span)
        return raw[0].view(tensor.dtype).as_strided(*layout)

    def expect_count(self, count: int) -> None:
        """What this thread reads next is a number of elements; 0: no longer."""
        self._expect(count)

    def assume_loss(self, tensor: Any) -> None:
        """One unknown number is finite and positive."""
        if tensor.is_cuda and tensor.numel() == 1:
            self._assume(tensor.data_ptr(), tensor.element_size())

    def assume_condition(self, tensor: Any, holds: bool) -> None:
        """Unknown ones of a contiguous tensor hold, as `all` of them would, or do not."""
        self._assume_condition(tensor.data_ptr(), tensor.numel(), holds)

    def likely(self, tensor: Any) -> Any:
        """One number on the CPU, as it is known or assumed; None where it is neither."""
        number = self._torch.empty(1, dtype=tensor.dtype)
        found = self._likely(number.data_ptr(), tensor.data_ptr(), number.element_size())
        return number if found else None

    def assume(self, tensor: Any, number: Any, meaning: int) -> None:
        """The one number of a tensor is unknown, but taken to be this; meanings: the core's."""
        address, width = number.data_ptr(), number.element_size()
        real = number.dtype.is_floating_point
        self._assume_number(tensor.data_ptr(), address, width, real, meaning)

    def write(self, tensor: Any, values: Any) -> None:
        """Makes every element known; `values` is on the CPU, of the same shape and type."""
        torch = self._torch
        for dimension, step in enumerate(tensor.stride()):
            if step == 0 and tensor.size(dimension) > 1:  # expanded: one element stands for all
                tensor = tensor.narrow(dimension, 0, 1)
                values = values.narrow(dimension, 0, 1)
        span = _span(tensor)
        if not span:
            return
        if tensor.is_contiguous() and values.is_contiguous():
            self._poke(tensor.data_ptr(), values.data_ptr(), span)
            return
        raw = torch.zeros(span, dtype=torch.uint8)
        mask = torch.zeros(span, dtype=torch.uint8)
        layout = tensor.size(), tensor.stride()
        raw.view(tensor.dtype).as_strided(*layout).copy_(values)
        width = tensor.element_size()
        mask.view(-1, width).as_strided((*layout[0], width), (*_in_bytes(tensor), 1)).fill_(1)
        for start, end in _runs(mask):
            self._poke(tensor.data_ptr() + start, raw.data_ptr() + start, end - start)


def _span(tensor: Any) -> int:
    """Bytes from the first element to the end of the last."""
    if not tensor.numel():
        return 0
    last = sum((size - 1) * step for size, step in zip(tensor.size(), tensor.stride(), strict=True))
    return int((last + 1) * tensor.element_size())


def _in_bytes(tensor: Any) -> "tuple[int, ...]":
    return tuple(step * tensor.element_size() for step in tensor.stride())


def _elements(mask: Any, tensor: Any) -> Any:
    """The bytes of a mask that stand for elements, in the shape of the tensor."""
    width = tensor.element_size()
    return mask.as_strided((*tensor.size(), width), (*_in_bytes(tensor), 1))


def _runs(mask: Any) -> "list[tuple[int, int]]":
    """Where the mask is set, as starts and ends."""
    if bool(mask.all()):
        return [(0, mask.numel())]
    bytes_ = mask.numpy().tobytes()
    runs, start = [], bytes_.find(1)
    while start >= 0:
        end = bytes_.find(0, start)
        end = len(bytes_) if end < 0 else end
        runs.append((start, end))
        start = bytes_.find(1, end)
    return runs
