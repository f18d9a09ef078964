"""Forks a process for every run that a client asks for, and tells the client how it ended."""

import contextlib
import ctypes
import gc
import json
import os
import selectors
import signal
import socket
import sys
from typing import Any

from maya_inside import early_imports, late_modules

_HEADER = 8
_HANDSHAKE_S = 5.0
_PR_SET_PDEATHSIG = 1


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
            early_imports.import_all(installed)
            late_modules.hand_on(installed)
            if early_imports.device_is_awake():  # a module that may only be imported after the fork
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
