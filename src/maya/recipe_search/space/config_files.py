"""Configuration files in JSON, YAML and TOML, edited at a key path."""

import json
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from maya.errors import MayaError
from maya.hardware.yaml_file import documents
from maya.recipe_search.space.expressions import Scalar
from maya.recipe_search.space.toml_writer import toml_text
from maya.user_files import read_user_text


@dataclass(frozen=True, slots=True)
class Config:
    """A file's content and how it is written."""

    path: Path
    form: str
    data: dict[str, Any]

    def check_key(self, key: str, *, create: bool) -> None:
        """The key must be there, or be allowed to be new."""
        node: Any = self.data
        for part in key.split("."):
            if isinstance(node, dict) and part in node:
                node = node[part]
            elif create and isinstance(node, dict):
                return
            else:
                keys = ", ".join(map(str, node)) if isinstance(node, dict) else "a plain value"
                raise MayaError(
                    f"{self.path.name} has no key {key}: {part!r} is not among {keys}",
                    hint="correct the key, or allow it with create: true",
                )

    def text(self, edits: Mapping[str, Scalar]) -> str:
        """The file with other values at these keys."""
        data = deepcopy(self.data)
        for key, value in edits.items():
            *above, last = key.split(".")
            node = data
            for part in above:
                node = node.setdefault(part, {})
            node[last] = value
        if self.form == "json":
            return json.dumps(data, indent=2) + "\n"
        return toml_text(data) if self.form == "toml" else yaml.safe_dump(data, sort_keys=False)


def read_config(path: Path) -> Config:
    """Read a file by the end of its name."""
    form = {".json": "json", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}.get(path.suffix)
    if form is None:
        raise MayaError(f"{path.name} is none of .json, .yaml, .yml, .toml")
    loaded = _load(read_user_text(path), form, path)
    if not isinstance(loaded, dict):
        raise MayaError(f"{path} holds no keys")
    return Config(path, form, loaded)


def _load(text: str, form: str, path: Path) -> Any:
    if form == "yaml":
        return next(iter(documents(text, str(path))), None)
    try:
        return json.loads(text) if form == "json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise MayaError(f"cannot read {path}: {error}") from error


def edited(path: Path, edits: Mapping[str, Scalar]) -> str:
    """The text of a file after edits."""
    return read_config(path).text(edits)
