"""TOML text of plain data; the standard library only reads it."""

import json
from collections.abc import Mapping
from typing import Any


def toml_text(data: Mapping[str, Any]) -> str:
    """Plain values first, then tables, as TOML wants them."""
    return "\n".join(_table(data, ())) + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in data.items() if not _is_table(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in data.items():
        if isinstance(value, Mapping):
            inner = (*path, key)
            lines += ["", f"[{'.'.join(map(_key, inner))}]", *_table(value, inner)]
        elif _is_table(value):
            inner = (*path, key)
            for item in value:
                lines += ["", f"[[{'.'.join(map(_key, inner))}]]", *_table(item, inner)]
    return lines


def _is_table(value: Any) -> bool:
    tables = isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
    return isinstance(value, Mapping) or tables


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "").isalnum() and key.isascii()
    return key if bare else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)
