"""Kernels by family: its cost function reads the sizes from the parameters."""

from collections.abc import Callable

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

CostFunction = Callable[[Definition, Signature, Gpu], Cost | None]

# What the column `cost` of families.yaml names.
COSTS: dict[str, CostFunction] = {
    "average_pool": pooling.average,
    "batch_norm": accessors.batch_norm,
    "by_index": indexing.by_index,
    "chunk_concatenate": indexing.chunk_concatenate,
    "concatenate": indexing.concatenate,
    "depthwise": accessors.depthwise,
    "dropout": accessors.dropout,
    "elementwise": elementwise.cost,
    "embedding_bag": accessors.embedding_bag,
    "embedding_features": indexing.embedding_features,
    "embedding_indices": indexing.embedding_indices,
    "embedding_sums": indexing.embedding_sums,
    "embedding_weights": indexing.embedding_weights,
    "few_numbers": lambda *_: Cost(4096.0),
    "flash_attention_helper": attention.flash_helper,
    "gamma_beta": rows.gamma_beta,
    "gather": indexing.gather,
    "internal_gradients": accessors.internal_gradients,
    "layer_norm": rows.layer_norm,
    "loss": rows.loss,
    "loss_backward": rows.loss_backward,
    "loss_each": rows.loss_each,
    "max_pool": pooling.maximum,
    "max_pool_of_count": pooling.maximum_of_count,
    "moments": accessors.moments,
    "one_row": lambda *_: Cost(64.0),
    "reduction": reduce.cost,
    "roll": indexing.roll,
    "scan": indexing.scan,
    "softmax": rows.softmax,
    "softmax_of_warp": rows.softmax_of_warp,
    "sort": indexing.sort,
    "sort_sweep": indexing.sort_sweep,
    "spatial_softmax": rows.spatial_softmax,
    "split_copy": indexing.split_copy,
    "tensor_list": optimizer.cost,
}
ATTENTION: dict[str, Callable[[Definition, Signature], AttentionProblem | None]] = {
    "efficient_attention": attention.efficient,
    "flash_attention": attention.flash,
}
PRODUCT = "product"  # told by the layout of its blob
TRITON = "triton"  # bounded by its size arguments

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
        family, name = work.family, signature(work.text("kernel"))
        if family.cost in ATTENTION:
            problem = attention_problem(work)
            return attention_estimate(problem, device) if problem else None
        cost = COSTS[family.cost](work, name, device) if family.cost in COSTS else None
        if cost is None or cost.bytes > _MOST_PASSES * device.total_memory_bytes:
            return None  # no such function, or sizes that were misread
        return estimate_cost(cost, device, family.uncertainty)


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
        cost = bounded.triton(work, device) if family.cost == TRITON else None
        if cost:
            return estimate_cost(cost, device, family.uncertainty, Source.ASSUMED)
        return estimate_cost(bounded.unknown(work, device), device, 1.0, Source.ASSUMED)
