"""Frozen dataclasses as JSON: what is read is checked, mistakes are told with file and field."""

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from maya.errors import MayaError
from maya.mistakes import about_option, plain_words

T = TypeVar("T")


_adapters: dict[type[Any], TypeAdapter[Any]] = {}  # making one takes milliseconds


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def encode(kind: type[T], value: T) -> str:
    """The text of a file."""
    return json.dumps(_adapter(kind).dump_python(value, mode="json"), indent=2) + "\n"


def decode(kind: type[T], data: bytes | str, path: Path, *, hint: str) -> T:
    """The inverse; numbers in words, missing fields and the like are refused."""
    try:
        return _adapter(kind).validate_json(data, strict=True)
    except ValidationError as error:
        raise MayaError(_complaint(path, error), hint=hint) from error


def build(kind: type[T], **values: object) -> T:
    """The same checks for values that a person gave as options."""
    try:
        return _adapter(kind).validate_python(values)
    except ValidationError as error:
        raise MayaError(about_option(error.errors(include_url=False)[0])) from error


def schema(kind: type[Any]) -> dict[str, Any]:
    """The JSON Schema of what `encode` writes."""
    return _adapter(kind).json_schema(mode="serialization")


def _complaint(path: Path, error: ValidationError) -> str:
    """The first mistake: later ones often follow from it."""
    first = error.errors(include_url=False)[0]
    said = plain_words(first)
    if first["type"] == "json_invalid":
        return f"{path} is not JSON: {said.removeprefix('Invalid JSON: ')}"
    where = ".".join(str(part) for part in first["loc"])
    return f"{path}, field {where}: {said}" if where else f"{path}: {said}"
