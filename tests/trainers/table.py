"""The trainers of the gallery, as they stand in trainers.toml."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Trainer:
    """One program, as its project ships it, and what it feeds in a step."""

    name: str
    environment: str
    command: tuple[str, ...]
    source: str = ""  # a public repository, owner/name; fetched by whoever runs the gallery
    revision: str = ""
    cluster: str = "h100:1"
    samples: float | None = None  # None: a number would be wrong
    tokens: float | None = None
    unit: str = "samples"
    reason: str = ""  # why there is no step, where there can be none


@dataclass(frozen=True, slots=True)
class Table:
    """All rows, and what their environments are made of."""

    environments: dict[str, tuple[str, ...]]  # requirements by name
    trainers: tuple[Trainer, ...]
    absent: dict[str, str] = field(default_factory=dict)  # what cannot be run here, and why


def read_table(path: Path = HERE / "trainers.toml") -> Table:
    """Names must be unique and environments known."""
    raw = tomllib.loads(path.read_text("utf-8"))
    environments = {name: tuple(wanted) for name, wanted in raw["environments"].items()}
    rows = [Trainer(**{**row, "command": tuple(row["command"])}) for row in raw["trainer"]]
    names = [row.name for row in rows]
    twice = {name for name in names if names.count(name) > 1}
    strange = {row.environment for row in rows} - environments.keys()
    if twice or strange:
        raise ValueError(f"{path}: named twice: {twice}; no such environment: {strange}")
    return Table(environments, tuple(rows), raw["absent"])
