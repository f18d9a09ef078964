"""A child process whose whole tree is gone when we are."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from maya.emulator.guard import guarded
from maya.emulator.warm import warmed

_PR_SET_CHILD_SUBREAPER = 36
_POLL_S = 0.02
SIGNAL_GRACE_S = 5.0  # for a command that is told by a signal and not by the emulator in it
FAILED_GRACE_S = 3.0  # for the other ranks when one has failed
Children = dict[int, list[int]]  # of every process of the machine
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Waited(NamedTuple):
    """Why commands were ended, which of them failed, and the signal that came."""

    reason: str | None = None  # None: they ended by themselves
    failed: int | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Why to end a command, and whether it already knows."""

    reason: str
    announced: bool  # the emulator inside the process is ending it
    at_once: bool = False  # nothing of it is wanted any more


class ProcessTree:
    """A command in a session of its own. Its orphans are handed to us, so none escapes."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], mark: str) -> None:
        """`mark`: a NAME=value of `env` by which descendants of the command are known."""
        _become_subreaper()
        self._mark = mark.encode()
        words, own = guarded(*warmed(argv, env))
        self.process = subprocess.Popen(words, env=own, start_new_session=True)

    def wait(self, stop: Callable[[], Stop | None], *, grace_s: float) -> str | None:
        """Wait for the command; once there is a reason to stop it, see that it ends."""
        return wait_for([self], stop, grace_s=grace_s).reason

    def close(self, grace_s: float = 2.0) -> None:
        """End everything that the command started and left behind."""
        close_all([self], grace_s)

    def alive(self) -> list[int]:
        """The command and all that it started, while it lives."""
        if self.process.poll() is not None:
            return []
        return [self.process.pid, *_descendants(self.process.pid)]

    def leftover(self, children: Children) -> list[int]:
        """What lives of the command: itself, and orphans that became our children."""
        if self.process.poll() is None:
            return [self.process.pid, *_descendants(self.process.pid, children)]
        orphans = [pid for pid in children.get(os.getpid(), ()) if self._is_ours(pid)]
        # One that has ended may have left children of its own since `children` was read.
        alive = [[] if _reap(pid) else [pid] for pid in orphans]
        below = [_descendants(pid, children) for pid in orphans]
        return [pid for pids in (*alive, *below) for pid in pids]

    def _is_ours(self, pid: int) -> bool:
        # A caller's other children must not be touched, so descent alone is not enough. A zombie
        # has no environment left but keeps its session.
        with contextlib.suppress(OSError):
            if os.getsid(pid) == self.process.pid:
                return True
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return False


def wait_for(
    trees: Sequence[ProcessTree], stop: Callable[[], Stop | None], *, grace_s: float
) -> Waited:
    """Wait for all commands; the first that fails ends the others."""
    with _forward_signals(trees) as signals:
        while any(tree.process.poll() is None for tree in trees):
            wanted = Stop("signal", announced=True) if signals else stop()
            failed = _failed(trees)
            if failed is not None and not wanted:
                gently = _end(
                    trees, Stop("failed", announced=False), FAILED_GRACE_S, signal.SIGTERM
                )
                killed = _killed(trees) if gently else None
                return Waited(failed=failed if killed is None else killed)
            if wanted:
                _end(trees, wanted, grace_s)
                return Waited(wanted.reason, signal=next(iter(signals), None))
            time.sleep(_POLL_S)
    return Waited("signal", signal=signals[0]) if signals else Waited(failed=_failed(trees))


def _failed(trees: Sequence[ProcessTree]) -> int | None:
    if (killed := _killed(trees)) is not None:
        return killed
    codes = [tree.process.poll() for tree in trees]
    return next((index for index, code in enumerate(codes) if code not in (None, 0)), None)


def _killed(trees: Sequence[ProcessTree]) -> int | None:
    """By somebody else: others fail because of that, and their end may be known before."""
    codes = [tree.process.poll() for tree in trees]
    return codes.index(-signal.SIGKILL) if -signal.SIGKILL in codes else None


def close_all(trees: Sequence[ProcessTree], grace_s: float = 2.0) -> None:
    """End everything that the commands started and left behind."""
    for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + patience_s
        left = _leftover(trees)
        _send(left, number)
        while left and time.monotonic() < deadline:
            time.sleep(_POLL_S)
            left = _leftover(trees)
        if not left:
            return


def _leftover(trees: Sequence[ProcessTree]) -> list[int]:
    """Looks through the machine's processes once, however many commands there were."""
    children = _children()
    return [pid for tree in trees for pid in tree.leftover(children)]


def _end(
    trees: Sequence[ProcessTree], stop: Stop, grace_s: float, gentle: int = signal.SIGINT
) -> bool:
    """Whether none of them had to be killed."""
    first = None if stop.announced else signal.SIGKILL if stop.at_once else gentle
    own = grace_s if stop.announced else min(grace_s, SIGNAL_GRACE_S)
    for number, patience_s in (
        (first, own),
        (signal.SIGTERM, SIGNAL_GRACE_S),
        (signal.SIGKILL, SIGNAL_GRACE_S),
    ):
        if number is not None:
            _send([pid for tree in trees for pid in tree.alive()], number)
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            if all(tree.process.poll() is not None for tree in trees):
                return number != signal.SIGKILL
            time.sleep(_POLL_S)
    return False


@contextlib.contextmanager
def _forward_signals(trees: Sequence[ProcessTree]) -> Iterator[list[int]]:
    signals: list[int] = []

    def forward(number: int, _frame: object) -> None:
        insist = bool(signals)  # the second Ctrl-C means it
        signals.append(number)
        _send([pid for tree in trees for pid in tree.alive()], signal.SIGKILL if insist else number)

    try:
        old = {number: signal.signal(number, forward) for number in _FORWARDED}
    except ValueError:  # not the main thread: signals are the caller's business
        old = {}
    try:
        yield signals
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def end_descendants(pid: int) -> None:
    """Kill everything below a process, but not itself."""
    _send(_descendants(pid), signal.SIGKILL)


def _become_subreaper() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap(pid: int) -> bool:
    """Collect a child if it has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _send(pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _children() -> Children:
    """Every process of the machine, by its parent."""
    children: dict[int, list[int]] = defaultdict(list)
    for name in filter(str.isdigit, (entry.name for entry in os.scandir("/proc"))):
        with contextlib.suppress(OSError):
            # The command's name stands in parentheses and may itself hold any character.
            fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            children[int(fields[1])].append(int(name))
    return children


def _descendants(pid: int, children: Children | None = None) -> list[int]:
    children = _children() if children is None else children
    found: list[int] = []
    queue = [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found
