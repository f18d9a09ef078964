"""Imports what a script imports, once, and forks a process for every run of it.

Started with SOCKET SCRIPT (a file, or -m and a module); needs nothing but the standard library,
because it runs in the program's own interpreter. It ends with everything it forked when its
standard input does. What a run imports later than at its start (torch does so on the first step) is
imported here before the next fork. Where forks would not do as fresh processes, it says why in
SOCKET.refused and ends.
"""

import ast
import atexit
import contextlib
import ctypes
import gc
import importlib
import importlib.util
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import types
import weakref
from typing import Any

from maya_inside import descent, late_modules, rank_reads, run_files

_HEADER = 8
_HANDSHAKE_S = 5.0
_PR_SET_PDEATHSIG = 1
_RUNNERS = (runpy.__file__, "<frozen runpy>")


def script_path(words: "list[str]") -> str:
    """The file that is run: named, or found as `python -m` finds it."""
    if words[0] != "-m":
        return words[0]
    sys.path[0] = os.getcwd()
    for name in (words[1], f"{words[1]}.__main__"):
        with contextlib.suppress(Exception):
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin and not spec.submodule_search_locations:
                return spec.origin
    return os.devnull


def imported_modules(path: str) -> "list[str]":
    """Modules that a script imports at its top level, in order; those beside it are not run, but
    what they import counts, too."""
    found: dict[str, None] = {}
    seen: set[str] = set()

    def read(file_path: str) -> None:
        seen.add(file_path)
        for name in _names_imported(file_path):
            own = _beside(os.path.dirname(path), name)
            if own is None:
                found[name] = None
            elif own not in seen:
                read(own)

    read(path)
    return list(found)


def _names_imported(path: str) -> "list[str]":
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names: list[str] = []
    for node in _top_level(tree.body):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return names


def _beside(directory: str, name: str) -> "str | None":
    if "-packages" in directory:
        return None
    stem = os.path.join(directory, *name.split("."))
    paths = f"{stem}.py", os.path.join(stem, "__init__.py")
    return next(filter(os.path.exists, paths), None)


def _top_level(body: "list[ast.stmt]") -> "list[ast.stmt]":
    """Statements that run on import: functions and the `__main__` block are not entered."""
    found = list(body)
    for node in body:
        if isinstance(node, ast.Try):
            found += _top_level(node.body)
    return found


def import_all(names: "list[str]") -> None:
    """What cannot be imported here, or is the script's own, is left to the forked process."""
    with _no_device_asked():
        for name in names:
            with contextlib.suppress(Exception):
                importlib.import_module(name)


@contextlib.contextmanager
def _no_device_asked():  # type: ignore[no-untyped-def]
    """Packages ask torch for GPUs while they are imported. The emulated device must not wake up
    before the fork, so the questions are answered for it: as many as there will be, of that kind.
    """
    try:
        import torch
    except ImportError:
        yield
        return
    answers = _device_answers()
    saved = {name: getattr(torch.cuda, name) for name in answers}
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    try:
        yield
    finally:
        for name, function in saved.items():
            setattr(torch.cuda, name, function)


def _device_answers() -> "dict[str, Any]":
    """By the names of torch.cuda, from the file that describes the emulated GPU."""
    with open(os.environ["MAYA_DEVICE_FILE"], encoding="utf-8") as file:
        facts = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
    properties = types.SimpleNamespace(
        name=facts["name"],
        major=int(facts["major"]),
        minor=int(facts["minor"]),
        total_memory=int(facts["total_memory"]),
        multi_processor_count=int(facts["sm_count"]),
    )
    count = int(os.environ.get("MAYA_GPU_COUNT", "1"))
    return {
        "is_available": lambda: True,
        "device_count": lambda: count,
        "get_device_name": lambda device=None: properties.name,
        "get_device_capability": lambda device=None: (properties.major, properties.minor),
        "get_device_properties": lambda device=None: properties,
    }


class Server:
    """Accepts runs until standard input ends."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path + ".new")
        self._listener.listen(64)
        os.rename(path + ".new", path)  # its presence says that we are ready
        self._selector = selectors.DefaultSelector()
        self._wake, wake = socket.socketpair()
        self._wake.setblocking(False)
        wake.setblocking(False)
        self._kept = wake
        signal.set_wakeup_fd(wake.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the clients, who pass it on
        self._runs: dict[int, socket.socket] = {}
        for source in (self._listener, self._wake, sys.stdin):
            self._selector.register(source, selectors.EVENT_READ)

    def serve(self) -> "tuple[dict[str, Any], list[int]] | None":
        """Returns in a forked process, with what it shall run."""
        while True:
            # What has ended comes before what begins, which may want what the first has missed.
            ready = self._selector.select()
            ready.sort(key=lambda key: key[0].fileobj is self._listener)
            for key, _ in ready:
                source = key.fileobj
                if source is sys.stdin:
                    self._end()
                elif source is self._wake:
                    self._reap()
                elif source is self._listener:
                    run = self._accept()
                    if run is not None:
                        return run
                else:
                    self._hear(source)  # type: ignore[arg-type]

    def _accept(self) -> "tuple[dict[str, Any], list[int]] | None":
        client, _ = self._listener.accept()
        client.settimeout(_HANDSHAKE_S)
        data, descriptors = _read_run(client)
        client.settimeout(None)
        if data is None:
            for descriptor in descriptors:
                os.close(descriptor)
            client.close()
            return None
        gc.freeze()  # a run need not look through all that was imported, again and again
        server, pid = os.getpid(), os.fork()
        if pid == 0:
            end_with(server)
            self._forget(client)
            return json.loads(data), descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        self._runs[pid] = client
        self._selector.register(client, selectors.EVENT_READ)
        return None

    def _learn(self, pid: int) -> None:
        """Import what a run found missing."""
        path = late_modules.path_of(pid)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                names = list(dict.fromkeys(file.read().split()))
            os.remove(path)
            installed = [name for name in names if late_modules.is_installed(name)]
            import_all(installed)
            late_modules.hand_on(installed)
            if device_is_awake():  # a module that may only be imported after the fork
                self._end()

    def _forget(self, client: socket.socket) -> None:
        """In a forked process: nothing of the server's may stay open or handled."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for other in (self._listener, self._wake, self._kept, client, *self._runs.values()):
            other.close()
        self._selector.close()

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._wake.recv(4096):
                pass
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                client = self._runs.pop(pid, None)
                if client is not None:
                    self._selector.unregister(client)
                    with contextlib.suppress(OSError):
                        client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
                    client.close()
                self._learn(pid)

    def _hear(self, client: socket.socket) -> None:
        """A client passes a signal on as a byte, or has died."""
        pid = next(pid for pid, other in self._runs.items() if other is client)
        try:
            signal_byte = client.recv(1)
        except OSError:
            signal_byte = b""
        if signal_byte:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal_byte[0])
        else:
            kill_run(pid)
            self._selector.unregister(client)
            client.close()
            self._runs.pop(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            self._learn(pid)

    def _end(self) -> None:
        for pid in self._runs:
            kill_run(pid)
        os._exit(0)


def kill_run(pid: int) -> None:
    """A fork and what it started; first itself, as it may not lead a group of its own yet."""
    for end_it in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            end_it(pid, signal.SIGKILL)


def end_with(server: int) -> None:
    """In a forked process: nobody else would end it if the server is killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)


def _read_run(client: socket.socket) -> "tuple[bytes | None, list[int]]":
    """What a client wants run, with its input and outputs; None if it died on the way."""
    descriptors: list[int] = []
    try:
        head, descriptors, _, _ = socket.recv_fds(client, _HEADER, 3)
        data = b""
        while len(head) == _HEADER and len(data) < int.from_bytes(head, "little"):
            piece = client.recv(int.from_bytes(head, "little") - len(data))
            if not piece:
                return None, descriptors
            data += piece
    except OSError:
        return None, descriptors
    return data or None, descriptors


def device_is_awake() -> bool:
    """Whether something has asked the emulated device: forks could not use it any more."""
    awake = getattr(ctypes.CDLL(None), "maya_device_is_awake", None)
    return awake is not None and bool(awake())


def refuse(reason: str) -> None:
    """Leave word why every run must start from nothing, and end."""
    with open(f"{sys.argv[1]}.refused", "w", encoding="utf-8") as file:
        file.write(reason)
    sys.exit(0)


def end(code: object) -> None:
    """A run that the emulator stopped is complete: taking the interpreter apart, which takes as
    long as a short run, adds nothing."""
    stopped = os.path.exists(os.path.join(os.environ.get("MAYA_RUN_DIR", ""), run_files.STOP))
    if stopped and code in (None, 0):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def fail(error: Exception) -> None:
    """A run that failed says why and ends as it would, but leaves its interpreter whole: taking
    it apart takes several times as long as finding out that a recipe needs too much memory."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, *_RUNNERS):
        trace = trace.tb_next  # its own lines, as it would show them
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
    with rank_reads.watched() as readers:
        import_all(imported_modules(script_path(sys.argv[2:])) + late_modules.handed_on())
    if device_is_awake():
        refuse("something touches the device while it is imported")
    if readers:
        refuse(f"{readers[0]} asks for the rank while it is imported")


if __name__ == "__main__":
    prepare()
    taken = Server(sys.argv[1]).serve()
    assert taken is not None
    late_modules.note_from_now_on()
    leave_to_the_server()
    try:
        become(*taken)
    except SystemExit as stop:
        end(stop.code)
        raise
    except Exception as error:
        fail(error)
