"""cuDNN and the rest of the libraries, by the name of the record."""

import re
from collections.abc import Callable
from dataclasses import replace

from maya.estimate.attention import AttentionProblem, attention_estimate
from maya.estimate.cost import Cost, estimate_cost
from maya.estimate.gemm.problem import TYPE_BYTES
from maya.estimate.library.conv_problem import conv_problem
from maya.estimate.library.convolution import conv_estimate
from maya.estimate.library.normalisation import norm_estimate
from maya.estimate.library.recurrent import rnn_estimate
from maya.estimate.library.solvers import solver
from maya.estimate.library.transforms import fourier, of_vectors, sampler
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import Kind


class LibraryEstimator:
    """cuDNN's operations; transforms, solvers and products of vectors of the other libraries."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where the record's name is not known."""
        if work.kind != Kind.LIBRARY:
            return None
        for prefix, model in _MODELS.items():
            if work.op.startswith(prefix):
                return model(work, device)
        if _OF_VECTORS.search(work.op):
            return of_vectors(work, device)
        return solver(work, device)


def _convolution(work: Definition, device: Gpu) -> Estimate | None:
    problem = conv_problem(work)
    return conv_estimate(problem, device) if problem else None


# Before Hopper cuDNN's kernels are of FlashAttention 2's kind.
_ATTENTION = {"hopper": "cudnn", "blackwell": "cudnn"}
_SOME_WINDOW = 1  # a sliding window whose width was not given when the plan was executed


def _attention(work: Definition, device: Gpu) -> Estimate | None:
    number = work.number
    sizes = [number(name) for name in ("b", "h_q", "s_q", "s_kv", "d_qk")]
    if min(sizes) <= 0:
        return None
    batch, heads, queries, keys, inner = sizes
    dim = (inner + max(1, number("d_v", inner))) / 2  # one product of either size
    problem = AttentionProblem(
        batch, heads, max(1, number("h_k")), queries, keys, dim,
        causal=bool(number("causal")), backward=work.op.endswith("bwd"),
        implementation=_ATTENTION.get(device.architecture, "flash2"),
        element_bytes=int(TYPE_BYTES.get(number("q_type"), 2)),
    )  # fmt: skip
    window = number("window")
    if window == _SOME_WINDOW:
        whole = attention_estimate(problem, device)
        return replace(whole, source=Source.ASSUMED, uncertainty=1.0)
    if window:  # counts a query's own key
        right = 0 if problem.causal else None
        problem = replace(problem, left=min(window, keys) - 1, right=right)
    return attention_estimate(problem, device)


def _pooling(work: Definition, device: Gpu) -> Estimate:
    number = work.number
    planes = number("n", 1) * number("c", 1)
    inside = number("in_d", 1) * number("in_h", 1) * number("in_w", 1)
    outside = number("out_d", 1) * number("out_h", 1) * number("out_w", 1)
    tensors = 2.0 if work.op.endswith("Backward") else 1.0
    size = TYPE_BYTES.get(number("x_type"), 4.0)
    return estimate_cost(Cost(planes * (inside + outside) * size * tensors), device, 0.3)


def _elements(work: Definition, device: Gpu) -> Estimate:
    elements = max(work.number("elements"), work.number("in_elements"), work.number("out_elements"))
    tensors = 3 if work.op.endswith("Backward") else 2
    return estimate_cost(Cost(max(1, elements) * 4.0 * tensors), device, 0.25)


def _graph(work: Definition, device: Gpu) -> Estimate:
    moved = float(work.number("in_bytes") + work.number("out_bytes"))
    return estimate_cost(Cost(moved), device, 0.4)


def _small(work: Definition, device: Gpu) -> Estimate:
    """Set-up and other calls with a size in bytes at most."""
    return estimate_cost(Cost(float(work.number("bytes"))), device, 0.5)


def _ctc(work: Definition, device: Gpu) -> Estimate:
    steps = max(1, work.number("time", 1))
    return estimate_cost(Cost(0.0, serial_ns=2 * 500.0 * steps), device, 0.6)


_MODELS: dict[str, Callable[[Definition, Gpu], Estimate | None]] = {
    "cudnn_conv": _convolution,
    "cudnn_sdpa": _attention,
    "cudnn_norm": norm_estimate,
    "cudnn_rnn": rnn_estimate,
    "cudnn_graph": _graph,
    "cudnn_ctc": _ctc,
    "cudnnPooling": _pooling,
    "cudnnActivation": _elements,
    "cudnnSoftmax": _elements,
    "cudnnAddTensor": _elements,
    "cudnnOpTensor": _elements,
    "cudnnScaleTensor": _elements,
    "cudnnSetDropoutDescriptor": _small,
    "cudnnSpatialTfSampler": sampler,
    "cufft": fourier,
}
_OF_VECTORS = re.compile(r"^cublas[SDCZ]?(gemv|dot|Dot|nrm2|axpy|scal)(?!.*Batched)")


class AssumedLibrary:
    """Any other call: by its largest sizes, bounded and flagged."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """A product of the problem's plain sizes would explode; two of them are an operand."""
        if work.kind != Kind.LIBRARY:
            return None
        named = {"m", "n", "k", "rows", "cols", "nnz", "batch", "elements", "nx", "ny", "nz"}
        sizes = sorted(
            (value for name, value in work.fields.items()
             if isinstance(value, int) and name.lower() in named and 0 < value < 1 << 31),
            reverse=True,
        )  # fmt: skip
        elements = 1.0
        for size in sizes[:3]:
            elements *= size
        moved = min(elements * 8.0, 64.0 * 2**30)
        return estimate_cost(Cost(moved, serial_ns=5000.0), device, 1.0, Source.ASSUMED)
