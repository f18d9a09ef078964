"""How stock PyTorch is made to do a recorded piece of work once more, by itself."""

from typing import Any

from maya.estimate.gemm.problem import gemm_problem
from maya.estimate.kernels.arguments import COUNT
from maya.estimate.kernels.estimator import attention_problem
from maya.estimate.kernels.image import Image
from maya.estimate.problem import library_problem
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.names import demangle

Item = dict[str, Any]
_AXES = ("d", "h", "w")
_LAUNCH = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")
_TYPES = {"bf16", "fp16", "fp32", "fp64"}
_TYPE_WORDS = (("bfloat16", "bf16"), ("BFloat16", "bf16"), ("half", "fp16"), ("Half", "fp16"))
_CONVOLUTION = "cudnn_conv_"


def recipe(work: Definition) -> Item | None:
    """What the script is told; None where PyTorch's own call for it is not known."""
    if work.kind == Kind.KERNEL:
        return _kernel(work)
    problem = library_problem(work)
    if problem is None or problem.fields["type"] not in _TYPES:
        return None
    made = _convolution(work) if work.op.startswith(_CONVOLUTION) else _product(work)
    row = {"kernel": problem.name, **problem.fields}
    return {**made, "dtype": problem.fields["type"], "row": row} if made else None


def _product(work: Definition) -> Item | None:
    found = gemm_problem(work)
    if found is None:
        return None
    turned = [found.layout[1] == "t", found.layout[0] == "t"]  # cuBLAS sees the operands exchanged
    sizes = {"m": found.m, "n": found.n, "k": found.k, "batch": found.batch}
    return {"kind": "product", **sizes, "turned": turned, "tf32": found.precision == "tf32"}


def _convolution(work: Definition) -> Item | None:
    number, spatial = work.number, max(1, work.number("spatial", 2))
    axes = _AXES[-min(spatial, len(_AXES)) :]

    def sides(prefix: str, usual: int = 1) -> list[int]:
        return [number(f"{prefix}_{axis}", usual) for axis in axes]

    groups = max(1, number("groups", 1))
    return {
        "kind": "convolution",
        "direction": work.op.removeprefix(_CONVOLUTION),
        "x": [number("n"), number("c"), *sides("in")],
        "weight": [number("k"), number("c") // groups, *sides("filter")],
        "stride": sides("stride"),
        "padding": sides("pad", 0),
        "dilation": sides("dilation"),
        "groups": groups,
        "channels_last": bool(number("x_nhwc")) and spatial == len(axes) == 2,
    }


def _kernel(work: Definition) -> Item | None:
    made = _attention(work) if attention_problem(work) else _layer_norm(work)
    if made is None:
        return None
    name = demangle(work.text("kernel"))
    dtype = next((kind for word, kind in _TYPE_WORDS if word in name), "fp32")
    row = {"kernel": name, **{field: work.number(field, 1) for field in _LAUNCH}}
    return {**made, "dtype": dtype, "row": row}


def _attention(work: Definition) -> Item | None:
    found = attention_problem(work)
    if found is None or found.left is not None or found.right is not None:
        return None
    return {
        "kind": "attention",
        "batch": int(found.batch),
        "heads": int(found.heads),
        "kv_heads": int(found.kv_heads),
        "queries": int(found.queries),
        "keys": int(found.keys),
        "dim": int(found.dim),
        "causal": bool(found.causal),
        "backward": found.backward,
    }


def _layer_norm(work: Definition) -> Item | None:
    columns = Image(work.blob).number(COUNT)
    if work.family.cost != "layer_norm" or work.family.is_backward or columns <= 0:
        return None
    return {"kind": "layer_norm", "rows": work.number("grid_x", 1), "columns": columns}
