"""Which module and line of the program work of torch.compile comes from.

While Inductor writes its Python code, a comment before each launch says it, as the nodes of its
graph still know it. Inductor keeps that code in its cache, and the comments with it. They are read
when a launch asks for its place.
"""

import json
import linecache
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, wraps
from typing import Any, NamedTuple

from maya_inside import own_code

OPTIMIZER = "(optimizer)"
_MARK = "maya place:"
_WRITTEN = re.compile(re.escape(_MARK) + r" (\{.*\})")
_ALLOCATES = "= empty_strided"  # stands before the comment of the launch that it is for
_NAME = re.compile(r"\['([^']+)'\]|\.(\w+)")
_FILE = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
_ADDITION = "Gradient addition node"  # of a tensor that is used twice: tells a module at random
_MOST_MODULES = 3  # of a kernel that several were fused into


class CompiledPlace(NamedTuple):
    """`module`: within the one that was compiled."""

    module: str
    line: str


def activate(utils: Any) -> None:
    """Called once torch._inductor.utils has been imported, before others take its functions."""
    real = getattr(utils, "get_kernel_metadata", None)
    if real is None or os.environ.get("MAYA_PLACES", "1") == "0":
        return

    @wraps(real)
    def told(schedule: Any, wrapper: Any) -> Any:
        found = real(schedule, wrapper)
        try:
            nodes = [n for n in utils.aggregate_origins(schedule) if n.op == "call_function"]
            first, *others = found
            return (f"{first} {_MARK} {json.dumps(_of_nodes(nodes))}", *others)
        except Exception:  # another version of torch: its kernels have no places
            return found

    utils.get_kernel_metadata = told


def place_at(filename: str, number: int) -> "CompiledPlace | None":
    """What the comment says that belongs to a line of generated code."""
    return _place_at(filename, number) if own_code.is_generated(filename) else None


@cache
def _place_at(filename: str, number: int) -> "CompiledPlace | None":
    lines = linecache.getlines(filename)
    at = min(number, len(lines)) - 1
    if at < 0:
        return None
    allocates = _ALLOCATES in lines[at]
    for line in lines[at:] if allocates else lines[at::-1]:
        if written := _WRITTEN.search(line):
            told = json.loads(written[1])
            return CompiledPlace(told["module"], told["line"])
        if line.lstrip().startswith(("def ", "return ")):
            break
    return None


def _of_nodes(nodes: "list[Any]") -> "dict[str, str]":
    """Of the operators of the program that became one kernel."""
    traces = [node.meta.get("stack_trace") or "" for node in nodes]
    if traces and all("/torch/optim/" in trace for trace in traces):
        return {"module": OPTIMIZER, "line": ""}
    told = [node for node, trace in zip(nodes, traces, strict=True) if _ADDITION not in trace]
    modules = Counter(filter(None, map(_module, told or nodes)))
    lines = Counter(line for trace in traces for line in list(_own_lines(trace))[-1:])
    return {
        "module": " + ".join(name for name, _ in modules.most_common(_MOST_MODULES)),
        "line": lines.most_common(1)[0][0] if lines else "",
    }


def _module(node: Any) -> str:
    """Of the innermost; a node of the backward pass knows that of its forward pass."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    innermost = next(reversed(stack.values()), ("", None))[0]
    # L['self']._modules['layers']._modules['0'].norm: where it is kept, then names.
    _, *names = ("".join(found) for found in _NAME.findall(innermost)) if innermost else ("",)
    return ".".join(name for name in names if name != "_modules")


def _own_lines(trace: str) -> "Iterator[str]":
    for filename, number, function in _FILE.findall(trace):
        if own_code.is_own(filename):
            yield f"{filename}:{number} ({function})"
