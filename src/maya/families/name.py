"""The C++ name of a kernel, and the function's own name in it."""

import ctypes
import re
from functools import cache

from maya.engine_library import engine_library

MANGLED = "_ZN"  # of a function in a namespace
_LONGEST = 64 << 10  # as the library keeps them
NOISE = re.compile(r"\(anonymous namespace\)::|<unnamed>::|at::native::|at::|c10::")


@cache
def demangle(name: str) -> str:
    """The C++ name behind a mangled one; any other name as it is, and those too long to print."""
    given = name.encode("utf-8", "replace")
    if not given.startswith(b"_Z") or len(given) > _LONGEST or b"\0" in given:
        return name
    text = ctypes.create_string_buffer(_LONGEST + 1)
    engine_library().maya_demangle(given, text, len(text))
    return name if text.value == given else text.value.decode("utf-8", "replace")


@cache
def function_name(name: str) -> str:
    """`void a::b<c>::d<e>(f)` -> `d`, of a mangled or a plain name."""
    plain = demangle(name)
    if plain.startswith(MANGLED):
        return _mangled_function_name(plain)
    full = NOISE.sub("", plain)
    depth = 0
    flat: list[str] = []
    for char in full:
        if char in "<(":
            if char == "(" and depth == 0 and flat and "".join(flat).strip():
                break
            depth += 1
        elif char in ">)":
            depth = max(0, depth - 1)
        elif depth == 0:
            flat.append(char)
    words = "".join(flat).strip().split(" ")
    return (words[-1].split("::")[-1] if words and words[-1] else full) or full


def _mangled_function_name(name: str) -> str:
    """`_ZN1a1bIc...` -> `b`: demanglers give up on some names of thousands of letters."""
    at, own = len(MANGLED), name
    while length := re.match(r"\d+", name[at:]):
        at += length.end()
        own = name[at : at + int(length.group())]
        at += len(own)
    return own
