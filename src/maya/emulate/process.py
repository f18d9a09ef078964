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

_PR_SET_CHILD_SUBREAPER = 36
_POLL_S = 0.05
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Stop:
    """Why to end a command, and whether it already knows."""

    reason: str
    announced: bool  # the emulator inside the process is ending it


class ProcessTree:
    """A command in a session of its own. Its orphans are handed to us, so none escapes."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], mark: str) -> None:
        """`mark`: a NAME=value of `env` by which descendants of the command are known."""
        _become_subreaper()
        self._mark = mark.encode()
        self._signals: list[int] = []
        self.process = subprocess.Popen(argv, env=env, start_new_session=True)

    def wait(self, stop: Callable[[], Stop | None], *, grace_s: float) -> str | None:
        """Wait for the command; once there is a reason to stop it, see that it ends."""
        with self._forward_signals():
            while self.process.poll() is None:
                wanted = Stop("signal", announced=True) if self._signals else stop()
                if wanted:
                    self._end(wanted, grace_s)
                    return wanted.reason
                time.sleep(_POLL_S)
        return "signal" if self._signals else None

    def close(self, grace_s: float = 2.0) -> None:
        """End everything that the command started and left behind."""
        for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, 5.0)):
            deadline = time.monotonic() + patience_s
            _send(self._leftover(), number)
            while self._leftover() and time.monotonic() < deadline:
                time.sleep(_POLL_S)

    def _end(self, stop: Stop, grace_s: float) -> None:
        gentle = None if stop.announced else signal.SIGINT
        for number, patience_s in ((gentle, grace_s), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
            if number is not None:
                _send([self.process.pid, *_descendants(self.process.pid)], number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
                return

    def _leftover(self) -> list[int]:
        """What lives of the command: itself, and orphans that became our children."""
        if self.process.poll() is None:
            return [self.process.pid, *_descendants(self.process.pid)]
        orphans = [pid for pid in _children()[os.getpid()] if self._is_ours(pid)]
        alive = [pid for pid in orphans if not _reap(pid)]
        return [pid for root in alive for pid in (root, *_descendants(root))]

    def _is_ours(self, pid: int) -> bool:
        # A caller's other children must not be touched, so descent alone is not enough. A zombie
        # has no environment left but keeps its session.
        with contextlib.suppress(OSError):
            if os.getsid(pid) == self.process.pid:
                return True
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return False

    @contextlib.contextmanager
    def _forward_signals(self) -> Iterator[None]:
        def forward(number: int, _frame: object) -> None:
            insist = bool(self._signals)  # the second Ctrl-C means it
            self._signals.append(number)
            tree = [self.process.pid, *_descendants(self.process.pid)]
            _send(tree, signal.SIGKILL if insist else number)

        try:
            old = {number: signal.signal(number, forward) for number in _FORWARDED}
        except ValueError:  # not the main thread: signals are the caller's business
            old = {}
        try:
            yield
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


def _children() -> dict[int, list[int]]:
    """Every process of the machine, by its parent."""
    children: dict[int, list[int]] = defaultdict(list)
    for name in filter(str.isdigit, (entry.name for entry in os.scandir("/proc"))):
        with contextlib.suppress(OSError):
            # The command's name stands in parentheses and may itself hold any character.
            fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            children[int(fields[1])].append(int(name))
    return children


def _descendants(pid: int) -> list[int]:
    children, found, queue = _children(), [], [pid]
    while queue:
        below = children[queue.pop()]
        found += below
        queue += below
    return found
