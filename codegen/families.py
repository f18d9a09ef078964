"""The recorder's half of families.yaml: its rows as macros for native/core/kernels/family.cpp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from codegen.emit import banner

FAMILIES_YAML = Path("src/maya/families/families.yaml")
_ROOT = Path(__file__).resolve().parent.parent
MOST_WORDS = 4  # of a pattern, as in family.cpp


def generate(text: str) -> str:
    """The text of native/gen/kernel_families.inc."""
    data = yaml.safe_load(text)
    lines = [banner([str(FAMILIES_YAML)]), "// clang-format off\n"]
    lines += [_row(family) for family in data["families"]]
    lines += [f"OPTIMIZER_WORD({json.dumps(word)})\n" for word in data["optimizer_words"]]
    return "".join(lines)


def _row(family: dict[str, Any]) -> str:
    cells = [
        json.dumps(family["name"]),
        json.dumps(family.get("kernel", "*")),
        _words(family.get("with", [])),
        _words(family.get("without", [])),
        family.get("reader", "none"),
        family.get("access", "writes"),
        family.get("values", "none"),
        family.get("update", "none"),
        json.dumps(family.get("typed_by", "")),
    ]
    return f"FAMILY({', '.join(cells)})\n"


def _words(words: list[str]) -> str:
    if len(words) > MOST_WORDS:
        raise ValueError(f"more than {MOST_WORDS} words in a pattern: {words}")
    return f"WORDS({', '.join(map(json.dumps, words))})"


def files() -> dict[str, str]:
    """File texts by path below native/gen."""
    return {"kernel_families.inc": generate((_ROOT / FAMILIES_YAML).read_text())}
