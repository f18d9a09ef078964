"""Runs a case's script under the emulator, or finds the run that did."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.hardware import find_cluster
from maya.rundir import names
from workshop.paths import REPOSITORY
from workshop.validate.case import NOT_RUN, Case
from workshop.validate.kept import MAKER, Maker, key, maker_of, present_maker, sign

SCRIPTS = REPOSITORY / "examples" / "validate"
_STEPS = 2
_MAX_SECONDS = 1200  # the machine may be busy with other things
_PLAIN_SECONDS = "3"  # loops without an optimiser: no evaluation comes first in these scripts
_LOG = "validate.log"
_RANK = re.compile(r"^\[rank\d+\]:\s*")  # torchrun's ranks say who they are
_FAILURE = "failure"  # why the script did not run to its steady steps


class EmulationFailedError(Exception):
    """The script did not run to steady steps."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """Where runs are kept and whether old ones may be used."""

    reuse: bool
    root: Path
    emulates: bool = True

    def run(self, case: Case) -> Path:
        """The directory of a finished run."""
        directory = self.directory(case)
        failed = directory / _FAILURE
        if self.reuse and failed.exists() and not self._may_do_better(directory):
            raise EmulationFailedError(failed.read_text("utf-8"))
        if self.reuse and not failed.exists() and (directory / MAKER).exists():
            return directory
        if not self.emulates:
            raise EmulationFailedError(NOT_RUN)
        _emulate(case, directory)
        return directory

    def directory(self, case: Case) -> Path:
        """Where the run of a case is, or would be."""
        return self.root / key(case, _script(case), _STEPS)

    def maker(self, case: Case) -> Maker:
        """Which emulator made the run that is kept."""
        return maker_of(self.directory(case))

    def _may_do_better(self, directory: Path) -> bool:
        """A case that failed is worth another try once the emulator has changed."""
        return self.emulates and maker_of(directory) != present_maker()


def cache_root() -> Path:
    """Where runs are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "maya" / "validate"


def command_of(case: Case) -> list[str]:
    """As a user would type it on the machine that was measured."""
    words = [str(_script(case)), *case.arguments]
    python = _frameworks_python() if case.frameworks else sys.executable
    cluster = find_cluster(case.cluster)
    if cluster.gpus == 1:
        return [python, *words]
    launcher = ["-m", "torch.distributed.run", "--nnodes", str(cluster.nodes)]
    return [python, *launcher, "--nproc-per-node", str(cluster.per_node), *words]


def _frameworks_python() -> str:
    usual = REPOSITORY / ".venv-frameworks" / "bin" / "python"
    return os.environ.get("MAYA_PYTHON_FRAMEWORKS", str(usual))


def _script(case: Case) -> Path:
    script = SCRIPTS / case.script
    if not script.exists():
        raise MayaError(
            f"{script} is missing", hint="validation runs in a checkout of the repository"
        )
    return script


def _emulate(case: Case, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in (names.RUN, MAKER, _FAILURE):
        (directory / name).unlink(missing_ok=True)
    words = [
        *(sys.executable, "-m", "maya", "run", "--cluster", case.cluster, "--steps", str(_STEPS)),
        *("--max-seconds", str(_MAX_SECONDS), "-o", str(directory), "--force", "--"),
        *command_of(case),
    ]
    environment = os.environ | {"PYTHONHASHSEED": "0"} | dict(case.variables)
    if case.without_optimizer:
        environment |= {"MAYA_PLAIN_SECONDS": _PLAIN_SECONDS}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    (directory / _LOG).write_text(done.stdout + done.stderr, encoding="utf-8")
    failure = (_reason(done.stderr) or f"exit code {done.returncode}") if done.returncode else ""
    if failure:
        (directory / _FAILURE).write_text(failure, encoding="utf-8")
    sign(directory, present_maker())
    if failure:
        raise EmulationFailedError(failure)


def _reason(text: str) -> str:
    """The line that names the error: Python's exception, else the last that says anything."""
    lines = [_RANK.sub("", line.strip()) for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line.partition(":")[0] or "error:" in line]
    return (named or lines or [""])[-1][:160]
