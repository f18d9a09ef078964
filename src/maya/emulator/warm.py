"""Starting programs from a process that has imported what they import.

Importing torch and a framework takes seconds, and is the same for every run of a script. There is
no GPU whose state a fork could break, so a server imports once and forks for each run. A program
finds it by MAYA_WARM, a directory with one socket for programs that have virtual peers and one for
those that have not: what answers for peers is put in place while torch is imported.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from maya.emulator.device import write_device_file
from maya.emulator.environment import child_environment
from maya.emulator.guard import guarded
from maya.emulator.held_files import CONFINE, layer_environment
from maya.emulator.launchers import Launch, read_launch
from maya.emulator.native import preload
from maya.emulator.target import find_interpreter, find_program, find_torch
from maya.hardware import Gpu
from maya.rundir import names, read_text

WARM = "MAYA_WARM"
_UNBUFFERED = "MAYA_WARM_UNBUFFERED"  # `python -u`
_INSIDE = Path(__file__).resolve().parent / "inside"
_PATIENCE_S = 300.0
SERVER_LOST = 75  # exit code of inside/warm_client.py when the server has gone


def warmed(argv: Sequence[str], env: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The command by way of a server, where one is ready for it; else as it is."""
    argv, env = list(argv), dict(env)
    directory = env.pop(WARM, None)
    run = forkable_words(argv)
    if directory is None or run is None:
        return argv, env
    path = Path(directory) / _socket_name("MAYA_REPRESENTATIVES" in env)
    if not path.exists():
        return argv, env
    if "LD_PRELOAD" in env:  # the client itself asks nothing of a device
        env["MAYA_WARM_PRELOAD"] = env.pop("LD_PRELOAD")
    if len(run) < len(argv):
        env[_UNBUFFERED] = "1"
    return [argv[0], "-S", "-E", str(_INSIDE / "warm_client.py"), str(path), *run], env


def forkable_words(argv: Sequence[str]) -> list[str] | None:
    """An interpreter and its script or module; None where it has other options or runs nothing."""
    run = [word for index, word in enumerate(argv) if (index, word) != (1, "-u")]
    module = run[1:2] == ["-m"] and len(run) > 2
    return run if module or (len(run) > 1 and run[1].endswith(".py")) else None


class ImportServer:
    """A process that has imported what a script imports, and forks; close it."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="maya-warm-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = self.directory

    def start(self, program: Sequence[str], env: Mapping[str, str], *, peers: bool) -> None:
        """`program`: interpreter, script or -m and module; `peers`: some ranks are virtual."""
        self._ready = self.directory / _socket_name(peers)
        words = [program[0], str(_INSIDE / "warm_server.py"), str(self._ready), *program[1:]]
        # Forks enter the layer of their run, which the kernel would not let them do from another.
        words, own = guarded(words, dict(env) | {CONFINE: "0"}, remove=self.directory)
        self._process = subprocess.Popen(
            words,
            env=own,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # who ends a whole group must not end the guard before its work
        )

    @property
    def pid(self) -> int | None:
        """The process that imports and forks."""
        return self._process.pid if self._process else None

    @property
    def refusal(self) -> str | None:
        """Why forks of it would not do what fresh processes do."""
        return read_text(Path(f"{self._ready}.refused"))

    @property
    def late_modules(self) -> Path:
        """Where it notes what its forks imported besides."""
        return Path(f"{self._ready}.late")

    def wait(self, patience_s: float = _PATIENCE_S) -> bool:
        """Until it has imported everything; False if it never will."""
        deadline = time.monotonic() + patience_s
        while self._process is not None and self._process.poll() is None:
            if self._ready.exists():
                return True
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        return False

    def close(self) -> None:
        """End it, with everything it forked."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class WarmServer(ImportServer):
    """A server for one script in one environment, whichever job will run."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], *, gpu: Gpu, gpus: int
    ) -> None:
        """`command` as the user writes it, launcher and all."""
        base = dict(os.environ) | dict(env)
        launch = read_launch(list(command), base)
        words = [word for word in (launch.argv if launch else command) if word != "-u"]
        interpreter = find_interpreter(find_program(words))
        script = words[1] if len(words) > 1 else ""
        startable = script.endswith(".py") and Path(script).exists()
        # This takes seconds, and of a directory that was made before nobody else would know.
        torch = find_torch(interpreter) if interpreter and startable else None
        libraries = preload((torch.cuda_major if torch else None) or 12)
        super().__init__()
        if interpreter is None or not startable:
            return
        try:
            self._start([interpreter, script], launch, base, libraries, gpu, gpus)
        except BaseException:
            shutil.rmtree(self.directory, ignore_errors=True)
            raise

    def _start(
        self,
        program: Sequence[str],
        launch: Launch | None,
        base: Mapping[str, str],
        libraries: list[Path],
        gpu: Gpu,
        gpus: int,
    ) -> None:
        device_file = write_device_file(self.directory, gpu)
        server_env = child_environment(
            base,
            preload=libraries,
            run_dir=self.directory,
            device_file=device_file,
            gpus=gpus,
            steps=1,
            max_seconds=_PATIENCE_S,
            strict=False,
            record=False,
        )
        if launch:
            server_env |= self._peers(base)
        server_env = layer_environment(self.directory, server_env)
        self.start(program, server_env, peers=launch is not None)

    def _peers(self, base: Mapping[str, str]) -> dict[str, str]:
        """Import as one of two ranks, the other virtual; the real job is read after the fork."""
        table = self.directory / names.REPRESENTATIVES
        table.write_text("0 0\n", encoding="ascii")
        paths = [str(_INSIDE), *filter(None, [base.get("PYTHONPATH")])]
        return {
            "MAYA_REPRESENTATIVES": str(table),
            "PYTHONPATH": os.pathsep.join(paths),
            "OMP_NUM_THREADS": base.get("OMP_NUM_THREADS", "1"),
            "RANK": "0",
            "WORLD_SIZE": "2",
        }


def _socket_name(peers: bool) -> str:
    return "peers.sock" if peers else "plain.sock"
