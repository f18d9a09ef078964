"""What goes wrong while a server is used, and shows only from outside of it."""

import threading
from collections.abc import Callable

from maya.errors import MayaError
from maya.rundir import RunDirectory, names
from maya.serving.connections import Outsider, outsiders
from maya.serving.page import ClockPage
from maya.serving.spinning import SpinnerWatch

_LOOK_S = 1.0
_SERVED = names.SERVED.format(process="*")


class ServerWatch(threading.Thread):
    """Names clients on another clock, and a thread that computes for ever, which ends the run."""

    def __init__(
        self,
        run_dir: RunDirectory,
        port: int,
        spin_seconds: float,
        say: Callable[[str], None],
        over: threading.Event,
        fail: Callable[[BaseException], None],
    ) -> None:
        super().__init__(daemon=True)
        self._run_dir, self._port, self._spin_seconds = run_dir, port, spin_seconds
        self._say, self._over, self._fail = say, over, fail
        self._told: set[Outsider] = set()
        self._recorded_bytes = 0

    def run(self) -> None:
        """Until the server is done with."""
        page = ClockPage(self._run_dir.file(names.CLOCK))
        spinners = SpinnerWatch(self._run_dir.file(names.STACKS))
        while not self._over.wait(_LOOK_S):
            self._tell_outsiders()
            if page.stands() or self._goes_on():
                spinners.forget()
                continue
            spinner = spinners.look(page.processes())
            if spinner is not None and spinner.cpu_s >= self._spin_seconds:
                text = f"{spinner}: nobody was answered meanwhile"
                self._fail(MayaError(text, hint="if that ends, --spin-seconds waits for longer"))

    def _goes_on(self) -> bool:
        """Whether device work was recorded or a request noted: some servers wait by spinning."""
        files = [*self._run_dir.capture_files(), *self._run_dir.path.glob(_SERVED)]
        before, self._recorded_bytes = self._recorded_bytes, sum(f.stat().st_size for f in files)
        return self._recorded_bytes != before

    def _tell_outsiders(self) -> None:
        clock = self._run_dir.file(names.CLOCK).resolve()
        for client in set(outsiders(self._port, clock)) - self._told:
            self._told.add(client)
            self._say(
                f"process {client.process} ({client.command}) asks the server on another clock "
                "than the server's, which may stand: start it with "
                f"maya client --server {self._run_dir.path} -- {client.command}"
            )
