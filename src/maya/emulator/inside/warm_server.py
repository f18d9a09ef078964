"""Imports what a script imports, once, and forks a process for every run of it.

Started with SOCKET SCRIPT (a file, or -m and a module); needs nothing but the standard library,
because it runs in the program's own interpreter. It ends with everything it forked when its
standard input does. What a run imports later than at its start (torch does so on the first step) is
imported here before the next fork. Where forks would not do as fresh processes, it says why in
SOCKET.refused and ends.
"""

import ctypes
import importlib
import os
import runpy
import sys
from typing import Any

from maya_inside import (
    descent,
    early_imports,
    fork_server,
    forked_end,
    late_modules,
    rank_reads,
    script_imports,
)


def refuse(reason: str) -> None:
    """Leave word why every run must start from nothing, and end."""
    with open(f"{sys.argv[1]}.refused", "w", encoding="utf-8") as file:
        file.write(reason)
    sys.exit(0)


def enter_file_layer() -> None:
    """The server's own layer gives way to that of the run."""
    reload = getattr(ctypes.CDLL(None), "maya_files_reload", None)
    if reload is not None:
        reload()


def become(run: "dict[str, Any]", descriptors: "list[int]") -> None:
    """Turn the forked process into what the client's would have been, and run the script."""
    os.setsid()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(run["env"])
    _set_buffers()
    _seed_numpy()
    enter_file_layer()
    os.chdir(run["directory"])
    descent.sign()
    if "MAYA_REPRESENTATIVES" in os.environ:
        from maya_inside import hosts, ranks

        importlib.reload(ranks)
        hosts.activate()
    words = run["argv"][1:]
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    runpy.run_path(words[0], run_name="__main__")


def _set_buffers() -> None:
    """Outputs behave as those of a process that was started with them."""
    unbuffered = bool(os.environ.pop("MAYA_WARM_UNBUFFERED", os.environ.get("PYTHONUNBUFFERED")))
    for stream in (sys.stdout, sys.stderr):
        terminal = stream is sys.stderr or os.isatty(stream.fileno())
        stream.reconfigure(line_buffering=terminal, write_through=unbuffered)  # type: ignore[union-attr]


def _seed_numpy() -> None:
    """numpy's own generator starts anew in every process, but not in a fork."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def prepare() -> None:
    """Import everything; end where forks would not do what fresh processes do."""
    script = script_imports.script_path(sys.argv[2:])
    with rank_reads.watched() as readers:
        own = script_imports.imported_modules(script)
        early_imports.import_all(own + late_modules.handed_on())
    if early_imports.device_is_awake():
        refuse("something touches the device while it is imported")
    if readers:
        refuse(f"{readers[0]} asks for the rank while it is imported")


if __name__ == "__main__":
    prepare()
    taken = fork_server.Server(sys.argv[1]).serve()
    assert taken is not None
    late_modules.note_from_now_on()
    forked_end.leave_to_the_server()
    try:
        become(*taken)
    except SystemExit as stop:
        forked_end.end(stop.code)
        raise
    except Exception as error:
        forked_end.fail(error, __file__)
