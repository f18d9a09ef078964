"""Asks PyTorch's caching allocator what it holds: the device sees only its segments.

Lines of code are kept with live blocks until the second optimiser step, when the job has all that
it will hold; then everything is switched off and costs nothing. The peaks are read once more at
the end.
"""

import atexit
import contextlib
import os
import sys
import time
from functools import partial, wraps
from importlib import import_module
from typing import Any

from maya_inside import collectives, memory_curve, memory_holders, memory_snapshot, run_files

_STEPS = 2  # the first makes the optimiser's state, the second needs it beside the activations
_LOOKS = 48  # at most so many snapshots: gradient accumulation has many backward passes
_GROWTH = 1.02  # a snapshot must be worth its time


class _Watch:
    """State of this process; everything is bounded by the first steps."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.pid = os.getpid()
        self.steps = 0
        self.looks = 0
        self.watching = True
        self.phase = "before the first backward"
        self.peak_phase = self.phase
        self.highest = 0
        self.seen: dict[str, Any] = {}  # the fullest moment that was looked at
        self.failure: dict[str, Any] | None = None
        self.undo: list[Any] = []
        self.end_history: Any = lambda: None
        self.keep_history: Any = lambda: None
        self.step_begin = 0, 0  # of the second step: microseconds of the clock, bytes held then
        self.curve: dict[str, Any] | None = None  # of the second step
        self.replicated = False  # by DistributedDataParallel
        self.owners = memory_holders.Owners()

    def enter(self, phase: str, look: bool = False) -> None:
        """A new phase begins; a peak that grew since then belongs to the one before."""
        if not self.watching or os.getpid() != self.pid:
            return
        stats = _stats(self.torch, _device(self.torch))
        peak = stats.get("allocated_bytes.all.peak", 0)
        if peak > self.highest:
            self.highest, self.peak_phase = peak, self.phase
        self.phase = phase
        current = stats.get("allocated_bytes.all.current", 0)
        if look and self.looks < _LOOKS and current > _GROWTH * self.seen.get("bytes", 0):
            self.looks += 1
            self.seen = self.look(phase)

    def look(self, moment: str) -> "dict[str, Any]":
        """What is allocated now."""
        step = self.steps // self.owners.count() + 1
        return {"moment": moment, "step": step, **self.held(_device(self.torch))}

    def held(self, device: int) -> "dict[str, Any]":
        """Who holds what, now."""
        return self.holders_in(self.torch.cuda.memory._snapshot(), device)

    def holders_in(self, snapshot: Any, device: int) -> "dict[str, Any]":
        """Who holds what in a snapshot."""
        found: dict[str, Any] = memory_holders.read(snapshot, device, self.owners)
        return found

    def begin_step(self) -> None:
        """From here on the allocator keeps what it does, not only what it holds."""
        if self.watching:
            stats = _stats(self.torch, _device(self.torch))
            self.keep_history()
            self.step_begin = time.time_ns() // 1000, stats.get("allocated_bytes.all.current", 0)

    def end_step(self) -> None:
        """Read what it did."""
        if self.watching and self.step_begin[0]:
            device = _device(self.torch)
            snapshot = self.torch.cuda.memory._snapshot()
            self.curve = memory_curve.curve(snapshot, device, *self.step_begin)
            self.keep_snapshot(snapshot, device)

    def keep_snapshot(self, snapshot: Any, device: int) -> None:
        """For `maya export --format memory`."""
        if "MAYA_RUN_DIR" not in os.environ:
            return
        path = run_files.beside_the_capture(run_files.SNAPSHOT_SUFFIX)
        with contextlib.suppress(OSError):  # a full disk is told by the recorder, in one place
            memory_snapshot.write(snapshot, device, path + ".part", self.step_begin[0])
            os.replace(path + ".part", path)

    def finish(self) -> None:
        """Switch everything off."""
        if self.watching and os.getpid() == self.pid:
            self.enter(self.phase)
            self.watching = False
            self.end_history()
        while self.undo:
            self.undo.pop()()


class _History:
    """The allocator has one history: where the program records its own, before or after the
    device is first used, that one must neither be replaced nor switched off.
    """

    def __init__(self, memory: Any) -> None:
        self.taken = False
        self._memory, self._record = memory, memory._record_memory_history
        memory._record_memory_history = self._theirs

    def begin(self, watch: _Watch) -> None:
        self._watch = watch
        watch.watching = not self.taken
        if not self.taken:
            self._record("all", "alloc", "python", memory_curve.FIRST_ENTRIES)
            watch.undo.append(self.give_back)

    def keep(self) -> None:
        """Changes too, besides what is held."""
        if not self.taken:
            self._record("all", "alloc", "python", memory_curve.MOST_ENTRIES)

    def end(self) -> None:
        if not self.taken:
            self._record(None)

    def give_back(self) -> None:
        self._memory._record_memory_history = self._record

    def _theirs(self, *arguments: Any, **options: Any) -> Any:
        self.taken = True
        if self._watch is not None:
            self._watch.watching = False
        self.give_back()
        return self._record(*arguments, **options)

    _watch: "_Watch | None" = None


def activate(cuda: Any) -> None:
    """Called when torch.cuda has just been imported: begin when the device is first used."""
    if os.environ.get("MAYA_MEMORY", "1") == "0":
        return
    try:
        history = _History(cuda.memory)
    except AttributeError:  # another version of torch
        return
    cuda._lazy_call(partial(_begin, history))


def _begin(history: _History) -> None:
    torch = sys.modules["torch"]
    if not hasattr(torch, "optim"):
        return
    watch = _Watch(torch)
    watch.end_history, watch.keep_history = history.end, history.keep
    for part in (history.begin, _observe_failures, _backward, _replicas, _optimizers):
        try:
            part(watch)
        except Exception:  # another version of torch: less is told, nothing breaks
            continue
    atexit.register(_write, watch)


def _observe_failures(watch: _Watch) -> None:
    def observer(device: int, asked: int, total: int, free: int) -> None:
        stats = _stats(watch.torch, device)
        watch.failure = {
            "device": device,
            "asked_bytes": asked,
            "free_bytes": free,
            "allocated_bytes": stats.get("allocated_bytes.all.current", 0),
            "reserved_bytes": stats.get("reserved_bytes.all.current", 0),
            "phase": watch.phase,
            "line": memory_holders.caller(),
        }
        snapshot = watch.torch.cuda.memory._snapshot()
        watch.failure["held"] = watch.holders_in(snapshot, device)
        watch.failure["curve"] = memory_curve.curve_to_failure(
            snapshot, device, watch.failure["allocated_bytes"], asked
        )
        watch.keep_snapshot(snapshot, device)

    watch.torch._C._cuda_attach_out_of_memory_observer(observer)


def _backward(watch: _Watch) -> None:
    module = watch.torch.autograd
    real = module._engine_run_backward

    def run_backward(*arguments: Any, **options: Any) -> Any:
        watch.enter("backward", look=True)
        try:
            return real(*arguments, **options)
        finally:
            watch.enter("forward")

    module._engine_run_backward = run_backward
    watch.undo.append(lambda: setattr(module, "_engine_run_backward", real))


def _replicas(watch: _Watch) -> None:
    parallel = watch.torch.nn.parallel.DistributedDataParallel
    make = parallel.__init__

    @wraps(make)
    def made(self: Any, *arguments: Any, **options: Any) -> None:
        watch.replicated = True
        make(self, *arguments, **options)

    parallel.__init__ = made
    watch.undo.append(lambda: setattr(parallel, "__init__", make))


def _optimizers(watch: _Watch) -> None:
    optimizers: Any = import_module("torch.optim.optimizer")

    make = optimizers.Optimizer.__init__

    def made(self: Any, *arguments: Any, **options: Any) -> None:
        watch.owners.add(self)
        make(self, *arguments, **options)

    def before(optimizer: Any, *_: Any) -> None:
        watch.owners.add(optimizer)
        watch.enter("optimizer", look=True)

    def after(*_: Any) -> None:
        if not watch.undo:
            return  # finished
        watch.enter("forward")
        watch.steps += 1
        if watch.steps == watch.owners.count():
            if watch.replicated:
                collectives.finish(watch.torch)
            snapshot = watch.torch.cuda.memory._snapshot()
            watch.owners.between_steps(snapshot, _device(watch.torch))
            watch.begin_step()
        if watch.steps >= _STEPS * watch.owners.count():
            watch.end_step()
            watch.finish()

    optimizers.Optimizer.__init__ = made
    watch.undo.append(lambda: setattr(optimizers.Optimizer, "__init__", make))
    watch.undo.append(optimizers.register_optimizer_step_pre_hook(before).remove)
    # Stays: torch is going through these hooks when this one finds that it is no longer needed.
    optimizers.register_optimizer_step_post_hook(after)


def _device(torch: Any) -> int:
    return int(torch.cuda.current_device())


def _stats(torch: Any, device: int) -> "dict[str, int]":
    return dict(torch.cuda.memory_stats(device))


def _fullest(torch: Any) -> "dict[str, int]":
    """Statistics of the device that reserved most."""
    found = [
        dict(_stats(torch, device), device=device) for device in range(torch.cuda.device_count())
    ]
    return max(found, key=lambda stats: stats.get("reserved_bytes.all.peak", 0))


def _write(watch: _Watch) -> None:
    """memory.json of this process, beside its capture."""
    if os.getpid() != watch.pid or "MAYA_RUN_DIR" not in os.environ:
        return
    stats = _fullest(watch.torch)
    highest = max(watch.highest, stats.get("allocated_bytes.all.peak", 0))
    described = {
        "version": 1,
        "device": stats["device"],
        "peak_allocated_bytes": highest,
        "peak_requested_bytes": stats.get("requested_bytes.all.peak", 0),
        "peak_reserved_bytes": stats.get("reserved_bytes.all.peak", 0),
        "peak_phase": watch.peak_phase if highest <= watch.highest * _GROWTH else "later",
        "fullest": watch.seen or None,
        "out_of_memory": watch.failure,
        "curve": watch.curve,
        "failures": stats.get("num_ooms", 0),
        "retries": stats.get("num_alloc_retries", 0),
    }
    run_files.leave(run_files.ALLOCATOR_SUFFIX, described)
