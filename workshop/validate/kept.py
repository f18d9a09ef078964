"""What a kept run stands for: which case it repeats, and which emulator made it."""

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from workshop.paths import REPOSITORY
from workshop.validate.case import Case

# Raise it by hand when the emulator's records of these scripts change in a way that moves
# predictions; a new build alone does not make a record wrong.
CAPTURE = 1
MAKER = "made.json"  # written last: without it a run was cut short
_EMULATOR = ("native", "src/maya/emulator")  # what decides about a record
_UNKNOWN = "unknown"
_IMPORT = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Maker:
    """The emulator that made a run: the last commit that changed it, and its day."""

    commit: str = _UNKNOWN
    date: str = ""

    @property
    def label(self) -> str:
        """For the page."""
        return f"{self.commit} of {self.date}" if self.date else self.commit


def key(case: Case, script: Path, steps: int) -> str:
    """Name of a case's run: equal where the record would be."""
    parts = (
        *_texts(script),
        *case.arguments,
        *(f"{name}={value}" for name, value in case.variables),
        case.cluster,
        str(steps),
        _torch(),
        str(CAPTURE),
    )
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
    return f"{case.source}-{digest}"


def _texts(script: Path) -> Iterator[str]:
    """The script's own text and that of the scripts beside it that it builds on."""
    known, waiting = {script}, [script]
    while waiting:
        text = waiting.pop(0).read_text("utf-8")
        yield text
        for name in _IMPORT.findall(text):
            beside = script.with_name(f"{name}.py")
            if beside.exists() and beside not in known:
                known.add(beside)
                waiting.append(beside)


def sign(directory: Path, maker: Maker) -> None:
    """Write down who made a run."""
    (directory / MAKER).write_text(json.dumps(asdict(maker)) + "\n", encoding="utf-8")


def maker_of(directory: Path) -> Maker:
    """Who made a run, as far as it was written down."""
    try:
        found = json.loads((directory / MAKER).read_text("utf-8"))
        return Maker(str(found["commit"]), str(found["date"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Maker()


@cache
def present_maker() -> Maker:
    """The emulator beside this code; changes that are not committed are told of."""
    words = ("log", "-1", "--format=%h %cs", "--", *_EMULATOR)
    commit, _, date = _git(*words).strip().partition(" ")
    if not commit:
        return Maker()
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *_EMULATOR).strip()
    return Maker(commit + ("+changes" if changed else ""), date)


def _git(*words: str) -> str:
    try:
        command = ["git", "-C", str(REPOSITORY), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if not done.returncode else ""


@cache
def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:
        return ""
