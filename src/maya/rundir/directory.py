"""The directory of a run: the only place that knows where in it things are."""

import contextlib
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from maya.errors import MayaError
from maya.rundir import names
from maya.rundir.facts import RunFacts
from maya.rundir.files import read_text, remove_tree, write_whole
from maya.rundir.lock import held_for_reading, held_for_writing
from maya.typed_json import decode, encode


@dataclass(frozen=True, slots=True)
class FailedRank:
    """A rank that ended with an error before anybody asked it to end."""

    rank: int
    exit_code: int
    at_ns: int  # of the monotonic clock: the wall clock may be set while the job runs

    @property
    def seconds_ago(self) -> float:
        """Since it failed, on the machine where it ran."""
        return (time.monotonic_ns() - self.at_ns) / 1e9


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """`foreign`: captures of somebody else that were there before this run."""

    path: Path
    foreign: frozenset[str] = frozenset()

    def file(self, name: str, **parts: int) -> Path:
        """Where one of `names` is."""
        return self.path / name.format(**parts)

    def text(self, name: str) -> str | None:
        """What a small file says; None where it is not there."""
        return read_text(self.path / name)

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return (self.path / name).exists()

    @property
    def is_run(self) -> bool:
        """Whether this directory was made by us, complete or not."""
        return self.has(names.MARKER) or self.has(names.RUN)

    @contextmanager
    def claimed(
        self, *, force: bool = False, keep: tuple[str, ...] = ()
    ) -> Iterator["RunDirectory"]:
        """Ours alone and without an earlier run, `keep` apart; what others put there stays."""
        whole = RunDirectory(self.path.absolute())
        with contextlib.ExitStack() as lock:
            try:
                whole._check_free(force)
                whole.path.mkdir(parents=True, exist_ok=True)
                earlier = whole.is_run
                lock.enter_context(held_for_writing(whole.file(names.MARKER)))
                if earlier:
                    whole.clear(keep)
                foreign = frozenset(file.name for file in whole.capture_files())
            except OSError as error:
                raise MayaError(
                    f"cannot write to {whole.path}: {error.strerror}",
                    hint="choose another directory with -o",
                ) from error
            yield replace(whole, foreign=foreign)

    @contextmanager
    def being_read(self) -> Iterator[None]:
        """Nobody records here meanwhile; a directory that is being recorded into is refused."""
        with held_for_reading(self.file(names.MARKER)):
            yield

    def _check_free(self, force: bool) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise MayaError(f"{self.path} is a file", hint="give a directory with -o")
        occupied = self.path.is_dir() and any(self.path.iterdir())
        if occupied and not (self.is_run or force):
            raise MayaError(
                f"{self.path} is not empty and holds no earlier run",
                hint="choose another directory with -o, or --force to use this one",
            )

    def clear(self, keep: tuple[str, ...] = ()) -> None:
        """Remove what a run left, and nothing else."""
        self.file(names.RUN).unlink(missing_ok=True)
        for entry in list(self.path.iterdir()):
            ours = names.is_run_file(entry.name) and entry.name not in self.foreign
            if ours and entry.name not in keep:
                remove_tree(entry) if _is_directory(entry) else entry.unlink(missing_ok=True)

    def capture_files(self) -> list[Path]:
        """Captures by rank, as far as they have been written."""
        found = [
            path
            for path in self.path.glob(f"*{names.CAPTURE_SUFFIX}")
            if names.is_capture(path.name) and path.name not in self.foreign
        ]
        return sorted(found, key=lambda path: names.rank_and_name(path.name))

    def partner_files(self) -> list[Path]:
        """What ranks noted of messages to ranks that are no process."""
        return sorted(self.path.glob(names.PARTNERS.format(rank="*")))

    def failed_ranks(self) -> list[FailedRank]:
        """The first to fail comes first: the others often fail because of it."""
        found: list[FailedRank] = []
        prefix = names.FAILED_RANK.format(rank="")
        for file in self.path.glob(f"{prefix}*"):
            with contextlib.suppress(OSError, ValueError):
                rank = int(file.name.removeprefix(prefix))
                code, at_ns = file.read_text("ascii").split()
                found.append(FailedRank(rank, int(code), int(at_ns)))
        return sorted(found, key=lambda failed: failed.at_ns)

    def read_facts(self) -> RunFacts | None:
        """run.json; None where the run is not complete."""
        path = self.file(names.RUN)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MayaError(f"cannot read {path}: {error.strerror}") from error
        return decode(RunFacts, data, path, hint="record the run again")

    def write_facts(self, facts: RunFacts) -> None:
        """The last act of a run: with it the run is complete."""
        write_whole(self.file(names.RUN), encode(RunFacts, facts))


WHERE_RUNS_ARE = "give a run directory; `maya run` leaves them in maya-runs"


def new_run_directory(command: list[str]) -> RunDirectory:
    """maya-runs/<time>-<name of the script>, never one that exists."""
    words = [word for word in command if not word.startswith("-")]
    script = next((word for word in words if word.endswith(".py")), words[0] if words else "run")
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(script).stem) or "run"
    base = Path("maya-runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
    path, number = base, 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return RunDirectory(path)


def _is_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
