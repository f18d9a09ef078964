"""Where recordings are kept in a clone."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workshop.operators.case import Program
from workshop.operators.emulation import missing, record_programs
from workshop.operators.recording import Recordings, load, save

_FOLDER = Path(__file__).parent / "recorded"
_IN_ONE_PROCESS = 60


def recordings() -> Recordings:
    """All that are kept."""
    return load(_path(compiled=False)).joined(load(_path(compiled=True)))


def record_missing(programs: Iterable[Program]) -> None:
    """Emulate what is not recorded yet; each process's records are kept as soon as it ends."""
    wanted = list(programs)
    for compiled in (False, True):
        chosen = [program for program in wanted if program.compiled == compiled]
        _record(missing(chosen, load(_path(compiled))), _path(compiled))


def _record(programs: Sequence[Program], path: Path) -> None:
    for first in range(0, len(programs), _IN_ONE_PROCESS):
        part = programs[first : first + _IN_ONE_PROCESS]
        save(load(path).joined(record_programs(part)), path)


def _path(compiled: bool) -> Path:
    return _FOLDER / ("compiled.json.xz" if compiled else "eager.json.xz")
