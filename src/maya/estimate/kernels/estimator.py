"""Kernels by family: its cost function reads the sizes from the parameters."""

from collections.abc import Callable
from dataclasses import replace

from maya.estimate.attention import AttentionProblem, attention_estimate
from maya.estimate.cost import Cost, estimate_cost
from maya.estimate.kernels import (
    accessors,
    attention,
    bounded,
    elementwise,
    indexing,
    optimizer,
    plain,
    pooling,
    reduce,
    rows,
    scan,
    serving,
)
from maya.estimate.kernels.product import product_estimate
from maya.estimate.kernels.reach import most_bytes
from maya.estimate.kernels.signature import Signature, signature
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import Kind

CostFunction = Callable[[Definition, Signature, Gpu], Cost | None]

# What the column `cost` of families.yaml names.
COSTS: dict[str, CostFunction] = {
    "any_pool": pooling.any_pooling,
    "average_pool": pooling.average_of_planes,
    "batch_norm": accessors.batch_norm,
    "batch_norm_channels_last": accessors.batch_norm_channels_last,
    "by_index": indexing.by_index,
    "cache_of_keys": serving.cache_of_keys,
    "chunk_concatenate": indexing.chunk_concatenate,
    "concatenate": indexing.concatenate,
    "ctc_loss": rows.ctc_loss,
    "depthwise": accessors.depthwise,
    "described": plain.described,
    "dropout": accessors.dropout,
    "elementwise": elementwise.cost,
    "embedding_bag": accessors.embedding_bag,
    "embedding_features": indexing.embedding_features,
    "embedding_indices": indexing.embedding_indices,
    "embedding_sums": indexing.embedding_sums,
    "embedding_weights": indexing.embedding_weights,
    "flip": elementwise.flip,
    "few_numbers": lambda *_: Cost(4096.0),
    "flash_attention_helper": attention.flash_helper,
    "gamma_beta": rows.gamma_beta,
    "gated_activation": serving.gated_activation,
    "gather": indexing.gather,
    "group_parameters": accessors.group_parameters,
    "index_backward": plain.index_backward,
    "internal_gradients": accessors.internal_gradients,
    "layer_norm": rows.layer_norm,
    "loss": rows.loss,
    "loss_backward": rows.loss_backward,
    "loss_each": rows.loss_each,
    "max_pool": pooling.maximum_of_planes,
    "max_pool_of_volumes": pooling.maximum_of_volumes,
    "moments": accessors.moments,
    "norm_of_rows": plain.norm_of_rows,
    "one_row": lambda *_: Cost(64.0),
    "reduction": reduce.cost,
    "reduction_at_run_time": reduce.at_run_time,
    "reverse_places": indexing.reverse_places,
    "rms_norm_and_add": serving.rms_norm_and_add,
    "rms_norm_of_tokens": serving.rms_norm,
    "roll": indexing.roll,
    "rotary_embedding": serving.rotary_embedding,
    "scan_across_rows": scan.across_rows,
    "scan_along_rows": scan.along_rows,
    "scan": indexing.scan,
    "segmented_sort": indexing.segmented_sort,
    "softmax": rows.softmax,
    "softmax_of_warp": rows.softmax_of_warp,
    "sort": indexing.sort,
    "sort_sweep": indexing.sort_sweep,
    "spatial_softmax": rows.spatial_softmax,
    "split_copy": indexing.split_copy,
    "tensor_list": optimizer.cost,
    "thread_each": plain.thread_each,
}
ATTENTION: dict[str, Callable[[Definition, Signature], AttentionProblem | None]] = {
    "efficient_attention": attention.efficient,
    "flash_attention": attention.flash,
    "flash_attention_3": serving.flash_attention_3,
}
PRODUCT = "product"  # told by the layout of its blob
TRITON = "triton"  # bounded by its size arguments

_AT_RUN_TIME = 0.5  # what its elements are is not known
_GUESSED = 1.0  # relative uncertainty, one sigma


class KernelEstimator:
    """Kernels of PyTorch whose parameters tell their sizes."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where the kernel is unknown or its parameters make no sense."""
        if work.kind != Kind.KERNEL:
            return None
        found = product_estimate(work, device) or _by_family(work, device)
        return found if found and found.bytes <= most_bytes(work, device) else None


def _by_family(work: Definition, device: Gpu) -> Estimate | None:
    if work.family.cost in ATTENTION:
        problem = attention_problem(work)
        return attention_estimate(problem, device) if problem else None
    cost = kernel_cost(work, device)
    if cost is None:
        return _at_run_time(work, device)
    if cost.guessed:
        return _guess(work, cost, device)
    return estimate_cost(cost, device, work.family.uncertainty)


def _at_run_time(work: Definition, device: Gpu) -> Estimate | None:
    cost = None if work.family.cost else elementwise.at_run_time(work, device)
    return estimate_cost(cost, device, _AT_RUN_TIME) if cost else None


def kernel_cost(work: Definition, device: Gpu) -> Cost | None:
    """What a kernel of a known family asks of the device, None where sizes make no sense."""
    read = COSTS.get(work.family.cost)
    return read(work, signature(work.text("kernel")), device) if read else None


def attention_problem(work: Definition) -> AttentionProblem | None:
    """The sizes of fused attention, None for any other kernel or where they make no sense."""
    read = ATTENTION.get(work.family.cost)
    return read(work, signature(work.text("kernel"))) if read else None


class AssumedKernel:
    """Triton kernels and unknown ones: bounded, and flagged as assumed."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """Never None for a kernel."""
        if work.kind != Kind.KERNEL:
            return None
        family = work.family
        if family.cost and family.cost != TRITON:
            return _guess(work, bounded.unknown(work, device), device)
        cost = bounded.triton(work, device) if family.cost == TRITON else None
        uncertainty = family.uncertainty if cost else _GUESSED
        guess = cost or bounded.unknown(work, device)
        return _with_bound(estimate_cost(guess, device, uncertainty, Source.ASSUMED), work, device)


def _guess(work: Definition, cost: Cost, device: Gpu) -> Estimate:
    """The family is known, its arguments were not understood."""
    within = replace(cost, bytes=min(cost.bytes, most_bytes(work, device)))
    found = replace(estimate_cost(within, device, _GUESSED, Source.ASSUMED), understood=False)
    return _with_bound(found, work, device)


def _with_bound(found: Estimate, work: Definition, device: Gpu) -> Estimate:
    most = estimate_cost(bounded.at_most(work, device), device, _GUESSED).duration_ns
    return replace(found, most_ns=max(most, found.duration_ns))
