"""Tells of a process that the program started with multiprocessing and that somebody else killed.

A loader's worker, say: the program fails because of it, which is no fault of its own.
"""

import contextlib
import os
import signal
from functools import wraps
from types import ModuleType
from typing import Any

from maya_inside.run_files import KILLED_CHILD

_ENDED_BY_US = "_maya_ended_by_us"


def activate(module: ModuleType) -> None:
    """Look at how such processes end, wherever the program asks."""
    popen: Any = module.Popen
    if "poll" in vars(popen):
        popen.poll = _telling(popen.poll)
    if "_send_signal" in vars(popen):
        popen._send_signal = _noting(popen._send_signal)


def _telling(poll: Any) -> Any:
    @wraps(poll)
    def polled(self: Any, *given: Any, **named: Any) -> Any:
        running = self.returncode is None
        code = poll(self, *given, **named)
        if running and code == -signal.SIGKILL and not getattr(self, _ENDED_BY_US, False):
            _tell(self.pid)
        return code

    return polled


def _noting(send: Any) -> Any:
    @wraps(send)
    def sent(self: Any, number: int) -> Any:
        if number == signal.SIGKILL:
            setattr(self, _ENDED_BY_US, True)
        return send(self, number)

    return sent


def _tell(pid: int) -> None:
    path = os.path.join(os.environ["MAYA_RUN_DIR"], KILLED_CHILD)
    with contextlib.suppress(OSError), open(path, "x", encoding="utf-8") as file:
        file.write(str(pid))
