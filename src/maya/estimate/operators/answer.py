"""`maya.estimate`: one operator, without a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from maya.errors import MayaError
from maya.estimate.chain import Chain, default_chain
from maya.estimate.interval import WIDTH
from maya.estimate.operators.collective import COLLECTIVES, collective
from maya.estimate.operators.compute import BYTES, OPERATORS, TORCH_NAMES, Asked, compute
from maya.estimate.types import Source
from maya.hardware import Cluster, Gpu, find_cluster, find_gpu

_LARGEST_SIDE = 1 << 40


@dataclass(frozen=True, slots=True)
class OperatorEstimate:
    """How long an operator takes alone, in microseconds, and how far to believe it."""

    op: str
    duration_us: float
    low_us: float  # the interval holds 85 % of measurements, if the estimators are right
    high_us: float
    uncertainty: float  # relative, one sigma
    source: Source
    flops: float
    bytes: float  # moved to and from memory; of a collective: what each rank gives


def estimate(
    op: str,
    shapes: Sequence[Sequence[int]],
    dtype: str = "bf16",
    gpu: str | Gpu | Cluster = "h100",
    *,
    backward: bool = False,
    causal: bool = False,
    stride: int = 1,
    padding: int = 0,
    groups: int = 1,
) -> OperatorEstimate:
    """How long one operator takes on a GPU, or one collective on all GPUs of a cluster.

    Args:
        op: matmul, linear, attention, convolution, batch_norm, layer_norm, rms_norm, elementwise,
            or all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv.
        shapes: Of the inputs, as PyTorch's function takes them; of a collective, the one tensor
            that each rank gives.
        dtype: bf16, fp16, fp32, tf32 (products of fp32 on tensor cores) or fp64; or PyTorch's
            name (`"bfloat16"`, `str(torch.bfloat16)`).
        gpu: A GPU (`"h100"`), or a cluster (`"h100:8x2"`), which collectives need.
        backward: The gradients instead: of a convolution both, of a norm that of its input.
        causal: Attention without keys behind a query's own.
        stride: Of a convolution.
        padding: Of a convolution, on each side.
        groups: Of a convolution.

    Raises:
        MayaError: for an unknown operator, type or GPU, and for shapes that do not fit.
    """
    short = TORCH_NAMES.get(dtype.removeprefix("torch."), dtype)
    asked = _checked(
        Asked(op, tuple(map(tuple, shapes)), short, backward, causal, stride, padding, groups)
    )
    if op in COLLECTIVES:
        found = collective(asked, _cluster(asked, gpu))
    else:
        found = compute(asked, _gpu(gpu), _chain())
    time_us, factor = found.duration_ns / 1e3, 1 + WIDTH * found.uncertainty
    return OperatorEstimate(
        op, time_us, time_us / factor, time_us * factor, found.uncertainty, found.source,
        found.flops, found.bytes,
    )  # fmt: skip


def _checked(asked: Asked) -> Asked:
    known = (*OPERATORS, *COLLECTIVES)
    if asked.op not in known:
        raise MayaError(f"unknown operator {asked.op!r}", hint=f"known: {', '.join(known)}")
    if asked.dtype not in BYTES:
        raise MayaError(f"unknown type {asked.dtype!r}", hint=f"known: {', '.join(BYTES)}")
    sides = [side for shape in asked.shapes for side in shape]
    if not all(isinstance(side, int) and 0 < side < _LARGEST_SIDE for side in sides):
        raise MayaError(f"{asked.op}: every side of a shape is a whole number above zero")
    if asked.stride < 1 or asked.padding < 0 or asked.groups < 1:
        raise MayaError(f"{asked.op}: stride and groups are 1 or more, padding 0 or more")
    return asked


def _gpu(given: str | Gpu | Cluster) -> Gpu:
    if isinstance(given, Gpu):
        return given
    if isinstance(given, Cluster):
        return given.gpu
    return find_cluster(given).gpu if ":" in given else find_gpu(given)


def _cluster(asked: Asked, given: str | Gpu | Cluster) -> Cluster:
    if isinstance(given, Cluster):
        return given
    if isinstance(given, Gpu) or ":" not in given:
        raise MayaError(f"{asked.op} needs a cluster", hint='gpu="h100:8x2", for example')
    return find_cluster(given)


@cache
def _chain() -> Chain:
    """Remembers what it has answered."""
    return default_chain()
