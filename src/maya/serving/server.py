"""A server under the emulator, in virtual time, and programs that join it."""

import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maya.emulator import EmulationOptions, EmulationResult, emulate
from maya.emulator.clients import client_environment
from maya.errors import MayaError
from maya.hardware import Cluster
from maya.prediction import chosen_clock, prediction_options
from maya.rundir import RunDirectory, names
from maya.serving.load import RequestLoad
from maya.serving.page import ClockPage
from maya.serving.report import LoadOutcome, outcome, read_notes
from maya.serving.watch import ServerWatch
from maya.summary import PredictionOptions

_DEFAULT_PORTS = {"sglang": 30000}
_PORT = 8000
_LOOK_S = 0.25
_PORT_NAME, _PRICE_NAME = "MAYA_SERVER_PORT", "MAYA_SERVER_USD_PER_HOUR"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How to serve."""

    output: Path | None = None
    force: bool = False
    host_scale: float = 1.0
    measurements: Path | None = None
    output_lengths: str = "from-request"
    ready_seconds: float = 900.0
    max_seconds: float = 86400.0
    spin_seconds: float = 120.0
    say: Callable[[str], None] = lambda _: None


class RunningServer:
    """One that runs, as its clients see it."""

    def __init__(self, run_dir: RunDirectory, port: int, usd_per_hour: float | None) -> None:
        env = client_environment(run_dir)
        if env is None:
            raise MayaError(f"{run_dir.path} is no server's", hint="maya serve starts one")
        self.run_dir = run_dir
        self.url = f"http://127.0.0.1:{port}"
        self._env = env
        self._usd_per_hour = usd_per_hour
        self._page = ClockPage(run_dir.file(names.CLOCK))

    def answers(self) -> bool:
        """Whether it can be asked."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as reply:
                return int(reply.status) == 200
        except OSError:
            return False

    @contextlib.contextmanager
    def time_passes(self) -> Iterator[None]:
        """The clock goes only while there is a client: an idle server waits for nothing."""
        with (self.run_dir.path / f".{names.CLIENTS}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._page.stand(False)
            try:
                yield
            finally:
                self._page.stand(True)

    def rest(self) -> None:
        """Nobody asks."""
        self._page.stand(True)

    def run_client(self, command: Sequence[str]) -> tuple[int, LoadOutcome]:
        """A program of the user's, with the server's notes of its time."""
        with self.time_passes():
            began = self._page.monotonic_s()
            try:
                code = subprocess.run(command, env=self._env, check=False).returncode
            except OSError as error:
                raise MayaError(f"cannot run {command[0]}: {error.strerror}") from error
            ended = self._page.monotonic_s()
        return code, outcome(read_notes(self.run_dir.path, began, ended), None, self._usd_per_hour)

    def send(self, load: RequestLoad) -> LoadOutcome:
        """Our own client."""
        with tempfile.TemporaryDirectory() as directory, self.time_passes():
            out = Path(directory, "answers.json")
            words = [self.url, json.dumps(load.words()), str(out)]
            began = self._page.monotonic_s()
            done = subprocess.run(
                [sys.executable, "-m", "maya.serving.sender", *words],
                env=self._env,
                capture_output=True,
                text=True,
                check=False,
            )
            ended = self._page.monotonic_s()
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
                raise MayaError(f"the load could not be sent: {last}")
            answers: list[Row] = json.loads(out.read_text("utf-8"))
        notes = read_notes(self.run_dir.path, began, ended)
        return outcome(notes, answers, self._usd_per_hour)


def port_of(command: Sequence[str]) -> int:
    """Where the server listens."""
    for index, word in enumerate(command):
        name, equals, value = word.partition("=")
        if name == "--port":
            value = value if equals else (command[index + 1] if index + 1 < len(command) else "")
            if value.isdigit():
                return int(value)
    return next((port for word, port in _DEFAULT_PORTS.items() if word in " ".join(command)), _PORT)


def serve(
    command: Sequence[str],
    target: Cluster,
    options: ServeOptions,
    use: Callable[[RunningServer], None] | None,
) -> EmulationResult:
    """Run a server until `use` is done with it, or until it is told to end."""
    port = port_of(command)
    _check_port(port)
    clock = chosen_clock("virtual", target, _asked(options))
    assert clock is not None
    run_dir = RunDirectory(options.output or Path("maya-runs") / f"serve-{os.getpid()}")
    over = threading.Event()
    attendant = _Attendant(run_dir, port, target, options, use, over)
    emulation = EmulationOptions(
        gpu=target.gpu,
        gpus=target.per_node,
        steps=0,
        max_seconds=options.max_seconds,
        output=run_dir.path,
        force=options.force,
        clock=replace(clock, patient=True),
        clients=True,
        env={
            "MAYA_SERVED_LENGTHS": options.output_lengths,
            # For clients that other terminals start.
            _PORT_NAME: str(port),
            _PRICE_NAME: str(target.usd_per_hour or ""),
        },
        enough=lambda _: over.is_set(),
        say=options.say,
    )
    run_dir.file(names.CLIENTS).unlink(missing_ok=True)
    attendant.start()
    try:
        result = emulate(command, emulation)
    finally:
        over.set()
        attendant.join()
        run_dir.file(names.CLIENTS).unlink(missing_ok=True)
    if attendant.in_use and result.ended_by == "script":
        raise MayaError(
            f"the server ended with exit code {result.exit_code} while requests were under way",
            hint="what it printed last says why",
        )
    if attendant.failure is not None:
        raise attendant.failure
    return result


def _asked(options: ServeOptions) -> PredictionOptions:
    return prediction_options(host_scale=options.host_scale, measurements=options.measurements)


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise MayaError(
                f"port {port} is in use", hint="give the server another one with --port"
            )


class _Attendant(threading.Thread):
    """Waits until the server can be asked, and has it used."""

    def __init__(
        self,
        run_dir: RunDirectory,
        port: int,
        target: Cluster,
        options: ServeOptions,
        use: Callable[[RunningServer], None] | None,
        over: threading.Event,
    ) -> None:
        super().__init__(daemon=True)
        self._run_dir, self._port, self._target = run_dir, port, target
        self._options, self._use, self._over = options, use, over
        self.failure: BaseException | None = None
        self._watcher = ServerWatch(
            run_dir, port, options.spin_seconds, options.say, over, self._fail
        )
        self.in_use = False  # the server answers, and is not done with what it was started for

    def run(self) -> None:
        """Once."""
        try:
            server = self._ready()
            if server is None:
                return
            server.rest()
            self._options.say(f"the server answers on port {self._port}; its clock stands")
            self._watcher.start()
            if self._use is not None:
                self.in_use = True
                self._use(server)
                self.in_use = False
                self._over.set()
        except BaseException as error:  # told by the thread that waits for us
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self.failure = self.failure or error  # others follow from the first
        self._over.set()

    def _ready(self) -> RunningServer | None:
        deadline = time.monotonic() + self._options.ready_seconds
        while not self._over.is_set():
            if time.monotonic() > deadline:
                raise MayaError(
                    f"the server did not answer within {self._options.ready_seconds:g} s",
                    hint=f"does it listen on port {self._port}? --ready-seconds gives it longer",
                )
            if self._run_dir.has(names.CLIENTS):
                server = RunningServer(self._run_dir, self._port, self._target.usd_per_hour)
                if server.answers():
                    return server
            self._over.wait(_LOOK_S)
        return None


def open_server(run_dir: RunDirectory) -> RunningServer:
    """One that another process of maya serves."""
    text = run_dir.text(names.CLIENTS)
    facts = json.loads(text) if text else {}
    if _PORT_NAME not in facts:
        raise MayaError(f"no server runs in {run_dir.path}", hint="maya serve starts one")
    price = facts.get(_PRICE_NAME)
    return RunningServer(run_dir, int(facts[_PORT_NAME]), float(price) if price else None)


def find_server(given: Path | None) -> Path:
    """The directory of a server that runs: this one, or the newest below maya-runs."""
    if given is not None:
        return given
    found = sorted(
        Path("maya-runs").glob(f"*/{names.CLIENTS}"), key=lambda path: path.stat().st_mtime
    )
    if not found:
        raise MayaError(
            "no server was started here", hint="maya serve -- vllm serve MODEL, or --server DIR"
        )
    return found[-1].parent
