"""Tells the core where in the program device work is asked for: line, module, forward or backward,
and has PyTorch tell its operators meanwhile.

For one step only, the second of the optimiser: later steps do the same, and asking for every launch
would cost too much. The core asks inside its own call, so nothing of this counts as the program's.
"""

import atexit
import ctypes
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from maya_inside import compiled_places, own_code
from maya_inside.operator_ranges import OperatorRanges

_BEGIN, _END = 1, 2  # optimiser steps that have ended
_WRAPPERS = re.compile(
    r"(^|\.)(module|_orig_mod|_fsdp_wrapped_module|_checkpoint_wrapped_module)\b"
)
_OPTIMIZER = compiled_places.OPTIMIZER
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
        self._operators = OperatorRanges(core)
        self._done = False
        optimizers.register_optimizer_step_post_hook(self._stepped)
        atexit.register(self._end)

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        if self._done:
            return
        self._steps[id(optimizer)] = self._steps.get(id(optimizer), 0) + 1
        done = min(self._steps.values())
        if done == _BEGIN and not self._listening:
            self._listening = True
            self._core.maya_listen_for_places(self._ask)
            self._operators.begin()
        elif done >= _END:
            self._end()

    def _end(self) -> None:
        self._done = True
        self._operators.end()
        self._core.maya_listen_for_places(None)


@dataclass
class _Found:
    """What the frames of a thread say."""

    line: str = ""
    module: str = ""
    in_optimizer: bool = False
    compiled: "str | None" = None  # modules within the one that is compiled
    outside: str = ""  # the module that is called, as Python sees it


class _Place:
    """Looks at the Python frames and the autograd node of the thread that asks for work."""

    def __init__(self, torch: Any, core: Any) -> None:
        self._node = torch._C._current_autograd_node
        self._number = torch.autograd._get_sequence_nr
        self._is_grad_enabled = torch.is_grad_enabled
        self._call = torch.nn.Module._call_impl.__code__
        self._pause_dynamo = _dynamo_switch(torch, _Place.tell.__code__)
        self._tell = core.maya_tell_place
        self._tell.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_uint64]
        self._tell.restype = None
        self._compiled_after: list[int] = []  # sequence numbers
        self._compiled_in: dict[int, str] = {}  # the module that is compiled, by such a number
        self._lines: dict[tuple[Any, int], str] = {}
        self._names: dict[int, dict[int, str]] = {}

    def tell(self) -> None:
        """What the core calls."""
        dynamo = self._pause_dynamo(None)
        try:
            self._look(sys._getframe().f_back)  # None in a thread of autograd's own
        except Exception:  # a place is never worth a failing program
            return
        finally:
            self._pause_dynamo(dynamo)

    def _look(self, frame: Any) -> None:
        found = self._frames(frame)
        node = self._node()
        if found.in_optimizer:
            self._say(found.line, _OPTIMIZER, "optimizer", 0)
        elif node is not None:
            self._look_backward(found, int(node._sequence_nr()))
        else:
            number = int(self._number())
            if found.compiled is not None:
                self._remember(number, found.outside)
            # A function of autograd's runs its own forward without gradients.
            phase = "forward" if found.module or self._is_grad_enabled() else "other"
            self._say(found.line, found.module, phase, number)

    def _look_backward(self, found: "_Found", number: int) -> None:
        numbered = number < _UNNUMBERED
        module = found.module or ("" if numbered else _GRADIENTS)
        if found.compiled is not None:
            module = _joined(self._compiled_by(number), found.compiled)
        self._say(found.line, module, "backward", number if numbered else 0)

    def _say(self, line: str, module: str, phase: str, number: int) -> None:
        self._tell(_bytes(line), _bytes(module), phase.encode(), number)

    def _remember(self, number: int, outside: str) -> None:
        if number not in self._compiled_in:
            self._compiled_after.append(number)
        self._compiled_in[number] = outside

    def _compiled_by(self, number: int) -> str:
        """The module whose compiled forward pass made a node of backward: it took this number,
        then launched its kernels."""
        at = bisect_right(self._compiled_after, number)
        return self._compiled_in[self._compiled_after[at]] if at < len(self._compiled_after) else ""

    def _frames(self, frame: Any) -> "_Found":
        """Looks outwards: the innermost line of the program's own, the innermost module."""
        found, inner, outer = _Found(), None, None
        while frame is not None:
            code = frame.f_code
            if code is self._call:
                outer = frame.f_locals["self"]
                inner = outer if inner is None else inner
            elif not found.line:
                self._see(frame, found)
            frame = frame.f_back
        found.outside = self._path(inner, outer)
        if found.compiled is not None:
            found.module = _joined(found.outside, found.compiled)
        if inner is not None:
            found.module = found.module or found.outside or type(inner).__name__
        return found

    def _see(self, frame: Any, found: "_Found") -> None:
        filename = frame.f_code.co_filename
        compiled = compiled_places.place_at(filename, frame.f_lineno)
        if compiled is None:
            found.line = self._line(frame)
            found.in_optimizer = found.in_optimizer or _is_optimizer(filename)
        elif found.compiled is None:
            found.line, found.compiled = compiled.line, compiled.module
            found.in_optimizer = compiled.module == _OPTIMIZER

    def _line(self, frame: Any) -> str:
        """Of a frame of the program; nothing of a framework's."""
        key = frame.f_code, frame.f_lasti
        if key not in self._lines:
            name = frame.f_code.co_filename
            own = own_code.is_own(name)
            self._lines[key] = f"{name}:{frame.f_lineno} ({frame.f_code.co_name})" if own else ""
        return self._lines[key]

    def _path(self, inner: Any, outer: Any) -> str:
        """Its name in the outermost module that is being called."""
        if inner is None:
            return ""
        if id(outer) not in self._names:
            self._names[id(outer)] = {id(part): name for name, part in outer.named_modules()}
        return _WRAPPERS.sub("", self._names[id(outer)].get(id(inner), "")).strip(".")


def _joined(outside: str, compiled: str) -> str:
    """`up + down` inside of `layers.0`: each has its place there."""
    if not outside or compiled == _OPTIMIZER:
        return compiled
    return " + ".join(f"{outside}.{name}".strip(".") for name in compiled.split(" + "))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _is_optimizer(filename: str) -> bool:
    return "/torch/optim/" in filename


def _dynamo_switch(torch: Any, code: Any) -> "Callable[[Any], Any]":
    """Sets what looks at every new frame. Left alone, dynamo takes ours for a part of the program
    and compiles them, where it breaks a graph."""
    try:
        frames = torch._C._dynamo.eval_frame
        frames.skip_code(code)
        return frames.set_eval_frame  # type: ignore[no-any-return]
    except AttributeError:  # another version of torch
        return lambda callback: None
