"""What a library call computes, whichever function of whichever library was called for it.

A profiler shows the kernels of libraries and the operator that asked for them; the recorder shows
the library's function. The problem is what both have in common.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from maya.estimate.gemm.problem import gemm_problem
from maya.estimate.library.conv_problem import conv_problem
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.names import short_name
from maya.trace.problem import DATA_TYPES

_CONVOLUTION, _NORM = "cudnn_conv_", "cudnn_norm_"


@dataclass(frozen=True, slots=True)
class LibraryProblem:
    """A name and the sizes that tell one problem from another."""

    name: str
    fields: Mapping[str, int | str]


def library_problem(work: Definition) -> LibraryProblem | None:
    """None for anything but products, convolutions and batch normalisation of a library."""
    if work.kind != Kind.LIBRARY:
        return None
    if work.op.startswith(_CONVOLUTION):
        return _convolution(work)
    if work.op.startswith(_NORM):
        return _norm(work)
    return _product(work)


def family_name(work: Definition) -> str:
    """What errs alike: a family of the table, a kind of library problem, else a name."""
    if work.kind == Kind.KERNEL:
        return work.family.name or short_name(work.text("kernel"))
    problem = library_problem(work)
    return f"{problem.name} {problem.fields['type']}" if problem else work.op


def _product(work: Definition) -> LibraryProblem | None:
    found = gemm_problem(work)
    if found is None:
        return None
    # Which operand comes first is the library's business: a product and its transpose are alike.
    sides = {"m": min(found.m, found.n), "n": max(found.m, found.n)}
    kind = "fp32" if found.in_bytes == 4 else found.precision  # a trace does not tell TF32
    return LibraryProblem("product", {**sides, "k": found.k, "batch": found.batch, "type": kind})


def _convolution(work: Definition) -> LibraryProblem | None:
    found = conv_problem(work)
    if found is None:
        return None
    sizes = {"n": found.n, "c": found.c, "k": found.k, "groups": found.groups}
    volumes = {
        "in": found.in_volume, "out": found.out_volume, "filter": found.filter_volume,
        "stride": found.stride_volume,
    }  # fmt: skip
    return LibraryProblem(f"convolution_{found.direction}", {**sizes, **volumes, "type": _x(work)})


def _norm(work: Definition) -> LibraryProblem:
    number = work.number
    plane = max(1, number("d", 1)) * max(1, number("h", 1)) * max(1, number("w", 1))
    sizes = {"n": number("n", 1), "c": number("c", 1), "plane": plane}
    return LibraryProblem(f"batch_norm_{work.op.removeprefix(_NORM)}", {**sizes, "type": _x(work)})


def _x(work: Definition) -> str:
    return DATA_TYPES.get(work.number("x_type"), "fp32")
