"""Kernels by name: the first rule that fits reads the sizes from the parameters."""

from collections.abc import Callable
from functools import cache

from maya.estimate.attention import AttentionProblem, attention_estimate
from maya.estimate.cost import Cost, estimate_cost
from maya.estimate.kernels import (
    accessors,
    attention,
    bounded,
    elementwise,
    indexing,
    optimizer,
    pooling,
    reduce,
    rows,
)
from maya.estimate.kernels.product import product_estimate
from maya.estimate.kernels.signature import Signature, signature
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import Kind

Rule = Callable[[Definition, Signature, Gpu], Cost | None]

# The beginning of a base name, the rule, its uncertainty.
_RULES: tuple[tuple[str, Rule, float], ...] = (
    ("reduce_kernel", reduce.cost, 0.2),
    ("multi_tensor_apply_kernel", optimizer.cost, 0.15),
    ("lpnorm_cleanup", lambda *_: Cost(4096.0), 0.3),
    ("cunn_SoftMax", rows.softmax, 0.15),
    ("cunn_SpatialSoftMax", rows.spatial_softmax, 0.4),
    ("softmax_warp", rows.softmax, 0.15),
    ("vectorized_layer_norm_kernel", rows.layer_norm, 0.15),
    ("layer_norm_grad_input_kernel", rows.layer_norm, 0.2),
    ("GammaBetaBackward", rows.gamma_beta, 0.35),
    ("nll_loss", rows.nll, 0.4),
    ("CatArrayBatchedCopy", indexing.concatenate, 0.2),
    ("chunk_cat_cuda_kernel", indexing.chunk_concatenate, 0.2),
    ("split_with_sizes_copy_out", indexing.split_copy, 0.2),
    ("roll_cuda_kernel", indexing.roll, 0.2),
    ("ComputeInternalGradients", accessors.internal_gradients, 0.3),
    ("vectorized_gather_kernel", indexing.gather, 0.2),
    ("indexFunc", indexing.by_index, 0.5),
    ("indexSelect", indexing.by_index, 0.4),
    ("embedding_backward", indexing.embedding_gradient, 0.4),
    ("compute_grad_weight", indexing.embedding_gradient, 0.4),
    ("sum_and_scatter", indexing.embedding_gradient, 0.4),
    ("krn_partial", indexing.embedding_gradient, 0.4),
    ("compute_num_of_partial_segments", indexing.embedding_gradient, 0.4),
    ("DeviceRadixSort", indexing.sort, 0.4),
    ("DeviceScan", indexing.scan, 0.4),
    ("DeviceUnique", indexing.scan, 0.4),
    ("DeviceSelect", indexing.scan, 0.4),
    ("DeviceCompact", indexing.scan, 0.4),
    ("batch_norm", accessors.batch_norm, 0.3),
    ("conv_depthwise2d", accessors.depthwise, 0.5),
    ("fused_dropout", accessors.dropout, 0.2),
    ("EmbeddingBag_updateOutput", accessors.embedding_bag, 0.4),
    ("RowwiseMoments", accessors.moments, 0.3),
    ("_scatter_gather_elementwise_kernel", elementwise.cost, 0.4),
    ("max_pool", pooling.cost, 0.3),
    ("avg_pool", pooling.cost, 0.3),
    ("adaptive_average", pooling.cost, 0.4),
    *((base, elementwise.cost, 0.12) for base in elementwise.BASES),
)


_MOST_PASSES = 8  # over all of the device's memory, in one kernel


class KernelEstimator:
    """Kernels of PyTorch whose parameters tell their sizes."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where the kernel is unknown or its parameters make no sense."""
        if work.kind != Kind.KERNEL:
            return None
        product = product_estimate(work, device)
        if product:
            return product
        name = signature(work.text("kernel"))
        problem = _attention(work, name)
        if problem:
            return attention_estimate(problem, device)
        found = _rule(name)
        if not found:
            return None
        rule, uncertainty = found
        cost = rule(work, name, device)
        if cost is None or cost.bytes > _MOST_PASSES * device.total_memory_bytes:
            return None  # sizes that were misread
        return estimate_cost(cost, device, uncertainty)


@cache
def _rule(name: Signature) -> tuple[Rule, float] | None:
    for prefix, rule, uncertainty in _RULES:
        if name.base.startswith(prefix):
            return rule, uncertainty
    if name.base.startswith("flash_bwd_") or name.base.startswith("flash_fwd_splitkv_combine"):
        return _flash_helper, 0.25
    return None


def _attention(work: Definition, name: Signature) -> AttentionProblem | None:
    if name.base.startswith(("flash_fwd_kernel", "flash_fwd_splitkv_kernel", "flash_bwd_dq_dk_dv")):
        return attention.flash(work, name)
    if name.base.startswith("fmha_cutlass"):
        return attention.efficient(work, name)
    return None


def _flash_helper(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """Before the loop of FlashAttention's backward: O and dO are read, dQ is cleared; after: dQ."""
    problem = attention.flash(work, name)
    if not problem:
        return None
    values = problem.batch * problem.heads * problem.queries * problem.dim
    return Cost(float(values * (2 + 2 + 4 if "dot_do_o" in name.base else 4 + 2)))


class AssumedKernel:
    """Triton kernels and unknown ones: bounded, and flagged as assumed."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """Never None for a kernel."""
        if work.kind != Kind.KERNEL:
            return None
        name = work.text("kernel")
        cost = bounded.triton(work, device) if name.startswith("triton_") else None
        if cost:
            return estimate_cost(cost, device, 0.5, Source.ASSUMED)
        return estimate_cost(bounded.unknown(work, device), device, 1.0, Source.ASSUMED)
