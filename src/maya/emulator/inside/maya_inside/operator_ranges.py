"""Has PyTorch tell its operators, with the sizes of their inputs, while places are asked for.

As `torch.autograd.profiler.emit_nvtx` does: it pushes a range for each operator. The core keeps
those of each thread, and nothing of them is recorded but what encloses a launch. One profiler can
be on at a time: the program's own goes first.
"""

import threading
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

_STARTS = "_prepare_profiler", "_enable_profiler"  # how PyTorch's profilers begin


class OperatorRanges:
    """On from `begin` to `end`, or until the program profiles itself."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._profiler: Any = None
        self._real: dict[str, Callable[..., Any]] = {}
        self._thread = 0  # whose: profilers belong to a thread, and to those of its backward passes

    def begin(self) -> None:
        try:
            self._enable(import_module("torch._C._profiler"))
        except Exception:  # another version of torch: operators are not told
            self.end()

    def _enable(self, kinds: Any) -> None:
        profiler = import_module("torch.autograd.profiler")
        if _is_on():
            return
        with_sizes = (True, False, False, False, False)
        options = profiler.ProfilerConfig(
            kinds.ProfilerState.NVTX, *with_sizes, kinds._ExperimentalConfig()
        )
        scopes = {kinds.RecordScope.FUNCTION, kinds.RecordScope.BACKWARD_FUNCTION}
        self._core.maya_listen_for_operators(1)
        profiler._enable_profiler(options, set(), scopes)
        self._profiler, self._thread = profiler, threading.get_ident()
        self._real = {name: getattr(profiler, name) for name in _STARTS}
        for name, real in self._real.items():
            setattr(profiler, name, self._after_ours(real))

    def _after_ours(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def start(*arguments: Any, **options: Any) -> Any:
            self.end()
            return real(*arguments, **options)

        return start

    def end(self) -> None:
        self._core.maya_listen_for_operators(0)
        profiler, self._profiler = self._profiler, None
        if profiler is None:
            return
        for name, real in self._real.items():
            setattr(profiler, name, real)
        if self._thread == threading.get_ident() and _is_on():
            profiler._disable_profiler()


def _is_on() -> bool:
    """Whether a profiler is, of this thread."""
    return bool(import_module("torch.autograd")._profiler_enabled())
