"""Kernel names for people."""

import re
from functools import cache

from maya.families.name import NOISE, demangle, function_name
from maya.families.table import family_of

__all__ = ["demangle", "short_name"]

# What tells an operation, and what only carries it.
_OPERATION = re.compile(r"\b(\w*(?:[Ff]unctor|Ops?|_impl|_kernel|_cuda)|launch_\w+)\b")
_CARRIERS = re.compile(
    r"(AUnary|BUnary|Unary|Binary|CompareEq)Functor|ReduceOp|gpu_kernel_impl\w*|gpu_kernel"
)


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
    telling = [name for name in found if not _CARRIERS.fullmatch(name)]
    return next(iter(telling or found), None)
