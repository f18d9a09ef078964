"""Where each table comes from, under which licence, and what was left out and why."""

from fnmatch import fnmatch
from functools import cache

import yaml
from pydantic import BaseModel, ConfigDict

from workshop.paths import DATA

FILE = DATA / "sources.yaml"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Strict):
    """What someone published."""

    repository: str
    licence: str
    about: str
    units: str
    faults: str = ""
    rows: dict[str, int]  # of each table


class LeftOut(_Strict):
    """Raw files that are in no table."""

    files: str
    reason: str


class Provenance(_Strict):
    """sources.yaml."""

    sources: dict[str, Source]
    left_out: list[LeftOut]

    @property
    def rows(self) -> dict[str, int]:
        """Of each table."""
        return {name: n for source in self.sources.values() for name, n in source.rows.items()}


@cache
def provenance() -> Provenance:
    """The file, checked."""
    return Provenance(**yaml.safe_load(FILE.read_text("utf-8")))


def why_left_out(file: str) -> str:
    """The reason why a raw file is in no table; nothing if none is known."""
    reasons = (left.reason for left in provenance().left_out if fnmatch(file, left.files))
    return next(reasons, "")
