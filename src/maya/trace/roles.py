"""Who each rank of a job is like, and the groups that the program declared."""

from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.rundir import names


@dataclass(frozen=True, slots=True)
class Roles:
    """By rank: the launched rank that did the same. Groups in the order of their declaration."""

    representative: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]

    @property
    def ranks(self) -> int:
        """All ranks of the job."""
        return len(self.representative)


def read_roles(directory: Path, world_size: int, launched: tuple[int, ...]) -> Roles:
    """What the run left in its directory; without it every rank must have been launched."""
    if len(launched) == world_size:
        return Roles(launched, _groups(directory))
    lines = _lines(directory / names.REPRESENTATIVES)
    representative = lines[0] if lines else ()
    if len(representative) != world_size or set(representative) != set(launched):
        raise MayaError(
            f"{directory} does not say which launched rank each of the {world_size} ranks is like",
            hint="record the run again with `maya run`",
        )
    return Roles(representative, _groups(directory))


def _groups(directory: Path) -> tuple[tuple[int, ...], ...]:
    return tuple(dict.fromkeys(_lines(directory / names.GROUPS)))


def _lines(path: Path) -> list[tuple[int, ...]]:
    try:
        return [tuple(map(int, line.split())) for line in path.read_text("ascii").splitlines()]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise MayaError(f"cannot read {path}: {error}", hint="record the run again") from error
