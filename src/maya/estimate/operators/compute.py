"""Operators of one GPU, by the estimators that recorded work is given to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from maya.errors import MayaError
from maya.estimate.attention import AttentionProblem, attention_estimate
from maya.estimate.chain import Chain
from maya.estimate.cost import estimate_cost
from maya.estimate.kernels.elementwise import dense_cost
from maya.estimate.kernels.rows import norm_of_rows
from maya.estimate.power import within_power
from maya.estimate.types import Estimate
from maya.estimate.works import Convolution, Product, batch_norm_work
from maya.families import find_family
from maya.hardware import Gpu

Shape = tuple[int, ...]
BYTES = {"fp64": 8.0, "fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0}
TORCH_NAMES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float64": "fp64"}
_AMPERE = 8  # compute capability: convolutions of fp32 use TF32 by default
# What PyTorch gives to FlashAttention 2; all else goes to memory-efficient kernels.
_FLASH_TYPES, _FLASH_HEAD = ("fp16", "bf16"), 256


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller gave."""

    op: str
    shapes: tuple[Shape, ...]
    dtype: str
    backward: bool = False
    causal: bool = False
    stride: int = 1
    padding: int = 0
    groups: int = 1

    @property
    def plain_type(self) -> str:
        """TF32 is how fp32 is multiplied, not how it is stored."""
        return "fp32" if self.dtype == "tf32" else self.dtype


def compute(asked: Asked, gpu: Gpu, chain: Chain) -> Estimate:
    """The estimate; MayaError where the shapes make no such operator."""
    return OPERATORS[asked.op](asked, gpu, chain)


def _matmul(asked: Asked, gpu: Gpu, chain: Chain) -> Estimate:
    """a [..., m, k] and b [k, n] or [..., k, n]."""
    a, b = _shapes(asked, 2, least=2)
    if a[-1] != b[-2] or (len(b) > 2 and a[:-2] != b[:-2]):
        raise wrong(asked, "[..., m, k] and [k, n], or [..., k, n] with the same leading sizes")
    rows = prod(a[:-1]) if len(b) == 2 else a[-2]
    return _product(asked, Sizes(rows, b[-1], a[-1], prod(b[:-2])), (False, False), gpu, chain)


def _linear(asked: Asked, gpu: Gpu, chain: Chain) -> Estimate:
    """x [..., k] and a weight [n, k]."""
    x, weight = _shapes(asked, 2, least=2)
    if len(weight) != 2 or x[-1] != weight[1]:
        raise wrong(asked, "[..., k] and [n, k]")
    return _product(asked, Sizes(prod(x[:-1]), weight[0], x[-1]), (False, True), gpu, chain)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of a product."""

    m: int
    n: int
    k: int
    batch: int = 1


def _product(
    asked: Asked, sizes: Sizes, turned: tuple[bool, bool], gpu: Gpu, chain: Chain
) -> Estimate:
    own = Product(
        sizes.m, sizes.n, sizes.k, sizes.batch, asked.plain_type, asked.dtype == "tf32", turned
    )
    return chain.estimate(own.work(), gpu)


def _attention(asked: Asked, gpu: Gpu, _chain: Chain) -> Estimate:
    """q, k, v: [batch, heads, length, head size], as scaled_dot_product_attention takes them."""
    q, k, v = _shapes(asked, 3, least=4)
    if any(len(own) != 4 for own in (q, k, v)) or k[:3] != v[:3] or q[3] != k[3] or q[1] % k[1]:
        raise wrong(asked, "q, k and v as [batch, heads, length, head size]")
    flash = asked.dtype in _FLASH_TYPES and max(q[3], v[3]) <= _FLASH_HEAD and gpu.major >= _AMPERE
    problem = AttentionProblem(
        q[0], q[1], k[1], q[2], k[2], (q[3] + v[3]) / 2, asked.causal, asked.backward,
        implementation="flash2" if flash else "efficient", element_bytes=int(BYTES[asked.dtype]),
    )  # fmt: skip
    return attention_estimate(problem, within_power(gpu))


def _convolution(asked: Asked, gpu: Gpu, chain: Chain) -> Estimate:
    """x [n, c, sides...] and a weight [k, c / groups, sides...]; `backward`: both gradients."""
    x, weight = _shapes(asked, 2, least=3)
    if len(x) != len(weight) or x[1] != weight[1] * asked.groups or len(x) > 5:
        raise wrong(asked, "[n, c, sides...] and [k, c / groups, sides...]")
    out = [
        (side + 2 * asked.padding - window) // asked.stride + 1
        for side, window in zip(x[2:], weight[2:], strict=True)
    ]
    if min(out) <= 0:
        raise wrong(asked, "an input that is no smaller than the filter")
    cores = asked.plain_type != "fp32" or gpu.major >= _AMPERE
    parts = [
        Convolution(
            direction, x[0], x[1], weight[0], x[2:], out, weight[2:], [asked.stride] * len(out),
            asked.groups, asked.plain_type, cores,
        ).work()
        for direction in (("dgrad", "wgrad") if asked.backward else ("fprop",))
    ]  # fmt: skip
    return together([chain.estimate(part, gpu) for part in parts])


def _batch_norm(asked: Asked, gpu: Gpu, chain: Chain) -> Estimate:
    """x [n, c, sides...], while training."""
    (x,) = _shapes(asked, 1, least=2)
    work = batch_norm_work(x[0], x[1], prod(x[2:]), asked.plain_type, asked.backward)
    return chain.estimate(work, gpu)


def _norm(asked: Asked, gpu: Gpu, _chain: Chain) -> Estimate:
    """x [..., columns]: each row is normalised; `backward`: the gradient of x."""
    (x,) = _shapes(asked, 1, least=1)
    cost = norm_of_rows(prod(x[:-1]), x[-1], BYTES[asked.dtype], asked.backward)
    family = find_family("layer_norm_backward" if asked.backward else "layer_norm")
    return estimate_cost(cost, gpu, family.uncertainty if family else 1.0)


def _elementwise(asked: Asked, gpu: Gpu, _chain: Chain) -> Estimate:
    """Inputs that broadcast to one result, which is written."""
    result = _broadcast(asked)
    moved = (sum(map(prod, asked.shapes)) + prod(result)) * BYTES[asked.dtype]
    family = find_family("elementwise_vectorized")
    return estimate_cost(dense_cost(prod(result), moved), gpu, family.uncertainty if family else 1)


def _broadcast(asked: Asked) -> Shape:
    shapes = _shapes(asked, len(asked.shapes), least=0)
    wide = max(map(len, shapes), default=0)
    padded = [(1,) * (wide - len(own)) + own for own in shapes]
    sides = [{side for side in column if side != 1} for column in zip(*padded, strict=True)]
    if any(len(own) > 1 for own in sides):
        raise wrong(asked, "shapes that broadcast to one")
    return tuple(own.pop() if own else 1 for own in sides)


def together(parts: Sequence[Estimate]) -> Estimate:
    """One after the other; they err alike."""
    total = sum(part.duration_ns for part in parts)
    error = sum(part.duration_ns * part.uncertainty for part in parts) / total
    flops, moved = sum(part.flops for part in parts), sum(part.bytes for part in parts)
    return Estimate(total, parts[0].source, error, flops, moved)


def _shapes(asked: Asked, count: int, least: int) -> tuple[Shape, ...]:
    if len(asked.shapes) != count or not count or any(len(own) < least for own in asked.shapes):
        raise wrong(asked, f"{count or 1} shapes of {least} sides or more")
    return asked.shapes


def wrong(asked: Asked, wanted: str) -> MayaError:
    """Says which shapes the operator takes."""
    given = ", ".join(str(list(shape)) for shape in asked.shapes) or "none"
    return MayaError(f"{asked.op} takes {wanted}; given: {given}")


OPERATORS: dict[str, Callable[[Asked, Gpu, Chain], Estimate]] = {
    "matmul": _matmul,
    "linear": _linear,
    "attention": _attention,
    "convolution": _convolution,
    "batch_norm": _batch_norm,
    "layer_norm": _norm,
    "rms_norm": _norm,
    "elementwise": _elementwise,
}
