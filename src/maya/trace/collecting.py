"""The captures of a run, and what is known of it."""

from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.rundir import WHERE_RUNS_ARE, RankFacts, RunDirectory, RunFacts, names
from maya.trace.capture import Capture, read_capture
from maya.trace.helpers import Process, split_helpers


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory, or a single capture file. run.json is read once, here."""

    path: Path
    captures: tuple[Capture, ...]
    facts: RunFacts | None = None  # None: captures of a run that is not complete, or not there
    helpers: tuple[Process, ...] = ()  # that used the device, but are no ranks

    @property
    def directory(self) -> RunDirectory:
        """Where it was recorded."""
        return RunDirectory(self.path if self.path.is_dir() else self.path.parent)

    @property
    def ranks(self) -> RankFacts | None:
        """Which ranks were launched; None where the program started them itself."""
        return self.facts.ranks if self.facts else None

    @property
    def command(self) -> tuple[str, ...]:
        """As the user wrote it; empty where it is not known."""
        return self.facts.command if self.facts else ()

    @property
    def yardstick_ns(self) -> int | None:
        """CPU time of the yardstick on the emulating machine; None where it was not measured."""
        host = self.facts.host if self.facts else None
        return host.yardstick_ns if host and host.yardstick_ns > 0 else None


def collect(path: Path | str) -> Run:
    """Read a run: its directory, or one of its capture files."""
    path = Path(path)
    if not path.exists():
        raise MayaError(f"{path} does not exist", hint="give a run directory or a .maya file")
    if path.is_file():
        if path.suffix != names.CAPTURE_SUFFIX:
            raise MayaError(f"{path} is a file, not the directory of a run", hint=WHERE_RUNS_ARE)
        facts = RunDirectory(path.parent).read_facts()
        return Run(path, (read_capture(path),), facts if _lists(facts, path.name) else None)
    directory = RunDirectory(path)
    facts = directory.read_facts()
    files = directory.capture_files() if facts is None else _listed(directory, facts)
    if not files:
        raise MayaError(
            f"{path} holds no captures",
            hint="the program did not use the GPU, or this is not a directory of `maya emulate`",
        )
    ranks, helpers = split_helpers([read_capture(file) for file in files])
    return Run(path, ranks, facts, helpers)


def _lists(facts: RunFacts | None, name: str) -> bool:
    return facts is not None and name in facts.captures


def _listed(directory: RunDirectory, facts: RunFacts) -> list[Path]:
    """The run's own captures: any other file there is of another run."""
    files = [directory.file(name) for name in sorted(facts.captures, key=names.rank_and_name)]
    if missing := [path.name for path in files if not path.exists()]:
        raise MayaError(
            f"{missing[0]} is missing in {directory.path}, but {names.RUN} there lists it",
            hint="a capture was moved or deleted: copy it back or emulate again",
        )
    return files
