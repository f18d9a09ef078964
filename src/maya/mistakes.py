"""What pydantic complains about, in words for people."""

from collections.abc import Mapping
from typing import Any

_WORDS = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a table of keys and values",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "missing": "is missing",
    "extra_forbidden": "is not known",
}


def plain_words(detail: Mapping[str, Any]) -> str:
    """`must be greater than 0`: what follows the name of a field or an option."""
    words = _WORDS.get(detail["type"])
    if words is None:  # a check of our own has said it
        return str(detail["msg"]).removeprefix("Value error, ")
    return words.format(**{name: _shown(value) for name, value in detail.get("ctx", {}).items()})


def about_value(detail: Mapping[str, Any]) -> str:
    """With what was given, unless a check of our own has named it."""
    told = plain_words(detail)
    return f"{told}, not {detail['input']!r}" if detail["type"] in _WORDS else told


def about_option(detail: Mapping[str, Any]) -> str:
    """The same of an option: `--jitter must be at least 0, not -1`."""
    name = "--" + ".".join(str(part) for part in detail["loc"]).replace("_", "-")
    given = detail["input"]
    shown = _shown(given) if isinstance(given, float) else repr(given)
    return f"{name} {plain_words(detail)}, not {shown}"


def _shown(value: object) -> object:
    """A number as a person writes it; options of one kind come as `-1.0`."""
    return f"{value:g}" if isinstance(value, float) else value
