"""Kernel names for people."""

import re
from functools import cache

from maya.families.family_table import family_of, table
from maya.families.name import NOISE, demangle, function_name

__all__ = ["demangle", "plain_name", "short_name"]

# What tells an operation, or only carries it.
_OPERATION = re.compile(r"\b(\w*(?:[Ff]unctor|Ops?|_impl|_kernel|_cuda)|launch_\w+)\b")


# How profilers write what the demangler writes otherwise: `<unnamed>`, `(int)4`, `(bool)1`.
_UNNAMED = re.compile(r"<unnamed>|\{anonymous\}")
_TYPED = re.compile(r"\((?:unsigned )?(?:int|long|short|char)\)(?=-?\d)")
_FLAGS = (("(bool)1", "true"), ("(bool)0", "false"))


@cache
def plain_name(name: str) -> str:
    """The name of a kernel as all profilers and the recorder spell it alike, without blanks."""
    full = _TYPED.sub("", _UNNAMED.sub("(anonymous namespace)", demangle(name)))
    for written, meant in _FLAGS:
        full = full.replace(written, meant)
    return "".join(full.split())


@cache
def short_name(name: str) -> str:
    """The name of a kernel without return type, arguments, templates and namespaces."""
    base = function_name(name)
    # Its first template argument says what such a kernel really does.
    if family_of(name).has("wrapper") and (inner := _functor(NOISE.sub("", demangle(name)))):
        return f"{base}<{inner}>"
    return base


def _functor(full: str) -> str | None:
    found = [match.group(1) for match in _OPERATION.finditer(full.partition("<")[2])]
    telling = [name for name in found if name not in table().carriers]
    return next(iter(telling or found), None)
