"""Library calls made from sizes, as the recorder would have written them down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.problem import DATA_TYPES

_CODES = {name: code for code, name in DATA_TYPES.items()}
_COMPUTE_FP32, _COMPUTE_TF32 = 68, 77  # cublasComputeType_t
_ON_TENSOR_CORES = 1  # a note of cuDNN's plan
_SPATIAL = 1  # cudnnBatchNormMode_t
_AXES = ("d", "h", "w")


@dataclass(frozen=True, slots=True)
class Product:
    """batch x (m x k) (k x n) of row-major matrices."""

    m: int
    n: int
    k: int
    batch: int = 1
    dtype: str = "bf16"
    tf32: bool = False
    transposed: tuple[bool, bool] = (False, True)  # whether A and B lie column by column
    pitches: tuple[int, int] = (0, 0)  # elements from row to row (column) of A and B; 0: dense

    def work(self) -> Definition:
        """As cuBLAS sees it: column-major, so the operands change places."""
        code = _CODES[self.dtype]
        sizes = {"m": self.n, "n": self.m, "k": self.k, "batch": self.batch}
        layout = {"transa": int(self.transposed[1]), "transb": int(self.transposed[0])}
        types = {"a_type": code, "b_type": code, "c_type": code}
        dense = self.m if self.transposed[0] else self.k, self.k if self.transposed[1] else self.n
        a, b = (own or usual for own, usual in zip(self.pitches, dense, strict=True))
        layout |= {"lda": b, "ldb": a, "ldc": self.n}
        compute = {"compute_type": _COMPUTE_TF32 if self.tf32 else _COMPUTE_FP32}
        return _library("cublasGemmEx", {**sizes, **layout, **types, **compute})


@dataclass(frozen=True, slots=True)
class Convolution:
    """One pass; the sides of planes or volumes from the outermost to the innermost."""

    direction: str  # fprop, dgrad, wgrad
    n: int
    c: int
    k: int
    inside: Sequence[int]
    outside: Sequence[int]
    window: Sequence[int]
    stride: Sequence[int]
    groups: int = 1
    dtype: str = "bf16"
    tensor_cores: bool = True
    channels_last: bool = False

    def work(self) -> Definition:
        """As cuDNN sees it."""
        last = int(self.channels_last)
        sizes = {"n": self.n, "c": self.c, "k": self.k, "groups": self.groups}
        sides = {
            **_sides("in", self.inside),
            **_sides("out", self.outside),
            **_sides("filter", self.window),
            **_sides("stride", self.stride),
        }
        told = {"x_type": _CODES[self.dtype], "x_nhwc": last, "spatial": len(self.inside)}
        notes = {"notes": _ON_TENSOR_CORES if self.tensor_cores else 0}
        return _library(f"cudnn_conv_{self.direction}", {**sizes, **sides, **told, **notes})


def batch_norm_work(
    n: int, c: int, plane: int, dtype: str = "fp32", backward: bool = False
) -> Definition:
    """Training, statistics of each channel of an NCHW tensor."""
    sizes = {"n": n, "c": c, "h": plane, "w": 1, "d": 1}
    told = {"x_type": _CODES[dtype], "mode": _SPATIAL, "training": 1, "nhwc": 0}
    return _library(f"cudnn_norm_{'bwd' if backward else 'fwd'}", {**sizes, **told})


def _sides(prefix: str, values: Sequence[int]) -> dict[str, int]:
    return {
        f"{prefix}_{axis}": side for axis, side in zip(_AXES[-len(values) :], values, strict=True)
    }


def _library(op: str, fields: Mapping[str, int]) -> Definition:
    return Definition(0, op, Kind.LIBRARY, fields)
