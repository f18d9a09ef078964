"""Defaults of options that a project keeps: maya.toml, or [tool.maya] of pyproject.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maya.errors import MayaError

_OWN, _SHARED = "maya.toml", "pyproject.toml"
# Without --cluster these speak of the prediction that was printed, wherever else one predicts.
_OF_THE_LAST_PREDICTION = frozenset({("export", "cluster"), ("calibrate", "cluster")})


def find_defaults(commands: Mapping[str, frozenset[str]]) -> dict[str, dict[str, Any]]:
    """Command -> option -> value, from the nearest file here or above. `commands`: their options.

    A key beside the tables is for every command that has the option; `[run]` is for `maya run`.
    """
    found = _nearest(Path.cwd())
    if found is None:
        return {}
    path, told = found
    everywhere = {_name(key): value for key, value in told.items() if not isinstance(value, dict)}
    own = {key: value for key, value in told.items() if isinstance(value, dict)}
    known = frozenset[str]().union(*commands.values())
    _refuse(path, "option", set(everywhere) - known)
    _refuse(path, "command", set(own) - set(commands))
    chosen: dict[str, dict[str, Any]] = {}
    for command, options in commands.items():
        special = {_name(key): value for key, value in own.get(command, {}).items()}
        _refuse(path, f"option of maya {command}", set(special) - options)
        shared = {key for key in options if (command, key) not in _OF_THE_LAST_PREDICTION}
        chosen[command] = {key: everywhere[key] for key in everywhere if key in shared} | special
    return chosen


def _nearest(directory: Path) -> tuple[Path, dict[str, Any]] | None:
    for place in (directory, *directory.parents):
        if (path := place / _OWN).is_file():
            return path, _read(path)
        if (path := place / _SHARED).is_file() and "[tool.maya" in path.read_text(
            "utf-8", "replace"
        ):
            return path, _read(path).get("tool", {}).get("maya", {})
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MayaError(f"{path} cannot be read: {error}") from error


def _refuse(path: Path, what: str, unknown: set[str]) -> None:
    if unknown:
        raise MayaError(
            f"{path}: {', '.join(sorted(unknown))} is no {what}",
            hint="keys are names of options without the dashes, as in cluster = 'h100:8'",
        )


def _name(key: str) -> str:
    return key.replace("-", "_")
