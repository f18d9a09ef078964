"""Runs one trainer under `maya run`, with a time limit."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from environment import make_environment
from outcome import Outcome, read_outcome
from sources import fetch_source
from table import HERE, Table, Trainer

_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "disabled",
    "YOLO_OFFLINE": "true",
}
_SLACK_S = 150.0  # to start, to end and to predict


@dataclass(frozen=True, slots=True)
class Places:
    """Where the gallery keeps what it makes."""

    work: Path
    seconds: float

    @property
    def results(self) -> Path:
        return self.work / "results"


def run_trainer(row: Trainer, table: Table, places: Places) -> Outcome:
    """What came of it, also where it could not be begun."""
    try:
        command, directory = _prepared(row, table, places)
    except (subprocess.CalledProcessError, OSError) as error:
        return Outcome(row.name, -1, 0.0, reason=f"not run: {error}")
    run = places.work / "runs" / row.name
    maya = [sys.executable, "-m", "maya", "run", "--cluster", row.cluster, "--force"]
    maya += ["--max-seconds", str(places.seconds), "-o", str(run), "--", *command]
    begun = time.monotonic()
    code = _call(maya, directory, places.work / "logs" / f"{row.name}.log", places.seconds)
    return read_outcome(row, code, time.monotonic() - begun, run)


def _prepared(row: Trainer, table: Table, places: Places) -> tuple[list[str], Path]:
    """The command, and the directory to call it in."""
    own = places.work / "environments" / row.environment
    python = make_environment(own, table.environments[row.environment])
    directory = places.work / "data"
    if row.source:
        directory = fetch_source(places.work / "sources", row.source, row.revision)
        _lay_beside(places.work / "data", directory)
    words = {
        "python": str(python),
        "bin": str(python.parent),
        "data": str(places.work / "data"),
        "programs": str(HERE / "programs"),
    }
    command = [word.format(**words) for word in row.command]
    return command, directory


def _lay_beside(data: Path, directory: Path) -> None:
    """Programs that look for `../data` find it."""
    beside = directory.parent / "data"
    if not beside.exists():
        beside.symlink_to(data)


def _call(command: list[str], directory: Path, log: Path, seconds: float) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        environment = {**os.environ, **_OFFLINE}
        process = subprocess.Popen(
            command, cwd=directory, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            return process.wait(seconds + _SLACK_S)
        except subprocess.TimeoutExpired:
            process.terminate()  # maya ends what it started
            return process.wait()
