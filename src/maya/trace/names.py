"""Kernel names for people."""

import re
from functools import cache

try:
    import cxxfilt
except Exception:  # it refuses to load where there is no libstdc++; names then stay mangled
    cxxfilt = None

# Wrappers whose first template argument says what the kernel really does.
_FUNCTOR_WRAPPERS = (
    "vectorized_elementwise_kernel",
    "unrolled_elementwise_kernel",
    "elementwise_kernel",
    "elementwise_kernel_with_index",
    "reduce_kernel",
    "multi_tensor_apply_kernel",
)
_NOISE = re.compile(r"\(anonymous namespace\)::|<unnamed>::|at::native::|at::|c10::")
# What tells an operation, and what only carries it.
_OPERATION = re.compile(r"\b(\w*(?:[Ff]unctor|Ops?|_impl|_kernel|_cuda)|launch_\w+)\b")
_CARRIERS = re.compile(
    r"(AUnary|BUnary|Unary|Binary|CompareEq)Functor|ReduceOp|gpu_kernel_impl\w*|gpu_kernel"
)


@cache
def demangle(name: str) -> str:
    """The C++ name behind a mangled one; any other name as it is."""
    if cxxfilt is None:
        return name
    try:
        demangled: str = cxxfilt.demangle(name, external_only=False)
    except (cxxfilt.Error, ValueError):
        return name
    return demangled


@cache
def short_name(name: str) -> str:
    """The name of a kernel without return type, arguments, templates and namespaces."""
    full = _NOISE.sub("", demangle(name))
    base = _base(full)
    if base in _FUNCTOR_WRAPPERS and (inner := _functor(full)):
        return f"{base}<{inner}>"
    return base


def _base(full: str) -> str:
    """`void a::b<c>::d<e>(f)` -> `d`."""
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


def _functor(full: str) -> str | None:
    found = [match.group(1) for match in _OPERATION.finditer(full.partition("<")[2])]
    telling = [name for name in found if not _CARRIERS.fullmatch(name)]
    return next(iter(telling or found), None)
