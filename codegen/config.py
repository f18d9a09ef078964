"""libraries.yaml as typed data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, field_validator

LIBRARIES_YAML = Path(__file__).with_name("libraries.yaml")


class Strict(BaseModel):
    """A misspelt key is an error, not a rule that never applies."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Binary(Strict):
    """How the real library presents itself to the loader."""

    soname: str
    node: str | None


class Parse(Strict):
    headers: list[str]
    owned: list[str] | None = None
    macros: list[str] = []
    variants: list[list[str]] = [[]]
    packages: list[str] | None = None
    cplusplus: bool = False


class Recorded(Strict):
    handle: str
    include: list[str]
    exclude: list[str] = []


class HostOutput(Strict):
    match: str
    parameter: str
    value: str = "0"


class Workspace(Strict):
    match: str
    elements: str | None = None
    bytes: str | None = None


class Library(Strict):
    sets: dict[str, Binary]
    status: str | int
    int_is_status: bool = False
    struct_is_status: bool = False
    parses: list[Parse]
    not_exports: list[str] = []
    extra: str = ""
    variables: dict[str, str] = {}
    recorded: Recorded | None = None
    host_outputs: list[HostOutput] = []
    workspace: list[Workspace] = []


class Config(Strict):
    packages: dict[str, dict[str, str]]
    libraries: dict[str, Library]

    @field_validator("packages", mode="before")
    @classmethod
    def _versions_are_text(cls, value: dict[str, dict[str, object]]) -> dict[str, dict[str, str]]:
        return {name: {k: str(v) for k, v in pins.items()} for name, pins in value.items()}

    def package_sets(self, name: str) -> list[str]:
        """Package sets that a generated set reads, newest first; `common` reads them all."""
        return sorted(self.packages, reverse=True) if name == "common" else [name]


def load(path: Path = LIBRARIES_YAML) -> Config:
    return Config.model_validate(yaml.safe_load(path.read_text()))


def matches(patterns: Sequence[str], name: str) -> bool:
    """Whether one of the patterns covers the whole name."""
    return any(re.fullmatch(pattern, name) for pattern in patterns)
