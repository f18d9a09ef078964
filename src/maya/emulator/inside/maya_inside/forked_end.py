"""How a forked run ends: as a fresh process would, for whoever looks at it, but sooner."""

import atexit
import ctypes
import os
import runpy
import sys
import threading
import weakref

from maya_inside import run_files

_RUNNERS = (runpy.__file__, "<frozen runpy>")


def end(code: object) -> None:
    """A run that the emulator stopped is complete: taking the interpreter apart, which takes as
    long as a short run, adds nothing."""
    stopped = os.path.exists(os.path.join(os.environ.get("MAYA_RUN_DIR", ""), run_files.STOP))
    if stopped and code in (None, 0):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def fail(error: Exception, starter: str) -> None:
    """A run that failed says why and ends as it would, but leaves its interpreter whole: taking
    it apart takes several times as long as finding out that a recipe needs too much memory."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (starter, *_RUNNERS):
        trace = trace.tb_next  # its own lines, as it would show them, and not those of its starter
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).exit(1)  # not os._exit: the emulator tells other ranks of the failure


def leave_to_the_server() -> None:
    """What packages want done at the end of the process that imported them (torch takes its
    operators apart) is not for a fork of it. Neither is what their libraries want done: handlers
    are called in reverse, so those of the fork come first, then these two."""
    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        finalizer.atexit = False
    libc = ctypes.CDLL(None)
    libc.on_exit(libc._exit, None)
    libc.__cxa_atexit(libc.fflush, None, None)
