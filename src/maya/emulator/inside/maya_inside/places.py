"""Tells the core where in the program device work is asked for: line, module, forward or backward.

For one step only, the second of the optimiser: later steps do the same, and asking for every launch
would cost too much. The core asks inside its own call, so nothing of this counts as the program's.
"""

import atexit
import ctypes
import os
import re
import sys
from importlib import import_module
from typing import Any

from maya_inside import memory_holders

_BEGIN, _END = 1, 2  # optimiser steps that have ended
_WRAPPERS = re.compile(
    r"(^|\.)(module|_orig_mod|_fsdp_wrapped_module|_checkpoint_wrapped_module)\b"
)
_OPTIMIZER = "(optimizer)"
_GRADIENTS = "(gradients)"
_UNNUMBERED = 1 << 63  # gradient accumulation has the highest number there is


def activate(cuda: Any) -> None:
    """Called when torch.cuda has just been imported: begin when the device is first used."""
    core = ctypes.CDLL(None)
    if os.environ.get("MAYA_PLACES", "1") != "0" and hasattr(core, "maya_listen_for_places"):
        cuda._lazy_call(lambda: _begin(core))


def _begin(core: Any) -> None:
    torch = sys.modules["torch"]
    try:
        _Watch(torch, core, import_module("torch.optim.optimizer"))
    except Exception:  # another version of torch: nothing is told
        return


class _Watch:
    """Listens from the first step of the last optimiser to its second."""

    def __init__(self, torch: Any, core: Any, optimizers: Any) -> None:
        self._core = core
        self._steps: dict[int, int] = {}
        self._listening = False
        self._ask = ctypes.CFUNCTYPE(None)(_Place(torch, core).tell)
        self._done = False
        optimizers.register_optimizer_step_post_hook(self._stepped)
        atexit.register(self._end)

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        if self._done:
            return
        self._steps[id(optimizer)] = self._steps.get(id(optimizer), 0) + 1
        done = min(self._steps.values())
        if _compiles():
            self._end()  # looking at its frames makes dynamo run the step without its kernels
        elif done == _BEGIN and not self._listening:
            self._listening = True
            self._core.maya_listen_for_places(self._ask)
        elif done >= _END:
            self._end()

    def _end(self) -> None:
        self._done = True
        self._core.maya_listen_for_places(None)


class _Place:
    """Looks at the Python frames and the autograd node of the thread that asks for work."""

    def __init__(self, torch: Any, core: Any) -> None:
        self._node = torch._C._current_autograd_node
        self._number = torch.autograd._get_sequence_nr
        self._is_grad_enabled = torch.is_grad_enabled
        self._call = torch.nn.Module._call_impl.__code__
        self._tell = core.maya_tell_place
        self._tell.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_uint64]
        self._tell.restype = None
        self._lines: dict[tuple[Any, int], bytes] = {}
        self._names: dict[int, dict[int, str]] = {}

    def tell(self) -> None:
        """What the core calls."""
        try:
            self._look(sys._getframe().f_back)  # None in a thread of autograd's own
        except Exception:  # a place is never worth a failing program
            return

    def _look(self, frame: Any) -> None:
        line, module, in_optimizer = self._frames(frame)
        node = self._node()
        if node is not None:
            number = int(node._sequence_nr())
            numbered = number < _UNNUMBERED
            known = module or (b"" if numbered else _GRADIENTS.encode())
            self._tell(line, known, b"backward", number if numbered else 0)
        elif in_optimizer:
            self._tell(line, _OPTIMIZER.encode(), b"optimizer", 0)
        else:
            # A function of autograd's runs its own forward without gradients.
            phase = b"forward" if module or self._is_grad_enabled() else b"other"
            self._tell(line, module, phase, int(self._number()))

    def _frames(self, frame: Any) -> "tuple[bytes, bytes, bool]":
        """The innermost line of the program's own, the innermost module, whether it is a step."""
        line, inner, outer, in_optimizer = b"", None, None, False
        while frame is not None:
            code = frame.f_code
            if code is self._call:
                outer = frame.f_locals["self"]
                inner = outer if inner is None else inner
            elif not line:
                line = self._line(frame)
                in_optimizer = in_optimizer or _is_optimizer(code.co_filename)
            frame = frame.f_back
        return line, self._module(inner, outer), in_optimizer

    def _line(self, frame: Any) -> bytes:
        """Of a frame of the program; nothing of a framework's."""
        key = frame.f_code, frame.f_lasti
        if key not in self._lines:
            name = frame.f_code.co_filename
            own = memory_holders.is_own(name)
            text = f"{name}:{frame.f_lineno} ({frame.f_code.co_name})" if own else ""
            self._lines[key] = text.encode("utf-8", "replace")
        return self._lines[key]

    def _module(self, inner: Any, outer: Any) -> bytes:
        """Its name in the outermost module that is being called."""
        if inner is None:
            return b""
        if id(outer) not in self._names:
            self._names[id(outer)] = {id(part): name for name, part in outer.named_modules()}
        name = _WRAPPERS.sub("", self._names[id(outer)].get(id(inner), "")).strip(".")
        return (name or type(inner).__name__).encode("utf-8", "replace")


def _is_optimizer(filename: str) -> bool:
    return "/torch/optim/" in filename


def _compiles() -> bool:
    """Whether torch.compile has built anything in this process."""
    utils: Any = sys.modules.get("torch._dynamo.utils")
    return utils is not None and bool(utils.counters.get("stats"))
