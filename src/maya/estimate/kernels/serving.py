"""Kernels of inference servers: attention over a paged cache, and vLLM's own.

Sizes were read from launches of vLLM 0.14.1. None of these kernels was measured by itself.
"""

from dataclasses import dataclass

from maya.estimate.attention import AttentionProblem, attention_parameters
from maya.estimate.cost import Cost, floor_ns
from maya.estimate.kernels.arguments import (
    CACHED_HEADS,
    FLASH_3_KEYS,
    FLASH_3_QUERIES,
    GATED_COLUMNS,
    RMS_NORM,
    RMS_NORM_AND_ADD,
    ROTARY_DIMENSIONS,
    ROTARY_HEADS,
    Place,
)
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks
from maya.estimate.kernels.signature import Signature
from maya.estimate.parameters import fitted_as, load
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import Kind
from maya.units import NS_PER_S

# Launch and duration of the small kernel that shares out the work: it is estimated by itself.
_PLAN_NS = 3200.0
_BYTES = 2  # of an element; caches in fp8 hold half of it


@dataclass(frozen=True, slots=True)
class LengthsRates:
    """The duration of attention as its lengths make it, which are known at the launch only."""

    base_ns: int
    request_ns: float  # to begin one, of all heads
    key_ns: float  # to read a key and its value, of all heads
    pair_ns: float  # to compute for a query and a key that it sees, of all heads

    @property
    def by_lengths(self) -> tuple[float, float, float]:
        """In the order of native/core/virtual/durations.cpp, struct Table."""
        return self.request_ns, self.key_ns, self.pair_ns


def lengths_rates(work: Definition, device: Gpu) -> LengthsRates | None:
    """None for any other kernel, and where the sizes make no sense."""
    if work.kind != Kind.KERNEL or not work.family.has("known_lengths"):
        return None
    image = Image(work.blob)
    _, dim, heads = image.read(FLASH_3_QUERIES)
    _, _, kv_heads = image.read(FLASH_3_KEYS)
    if not (0 < dim <= 512 and 0 < kv_heads <= heads <= 4096):
        return None
    fitted = attention_parameters("library", device)
    rate = device.flops_per_s.get("bf16", device.flops_per_s["fp32"]) * fitted.forward
    decode = decode_parameters(device)
    bandwidth = device.memory_bandwidth_bytes_per_s * decode.bandwidth_share
    return LengthsRates(
        base_ns=round(max(decode.base_ns - _PLAN_NS, floor_ns(device))),
        request_ns=decode.tile_ns * kv_heads / device.sm_count,
        key_ns=2.0 * kv_heads * dim * _BYTES / bandwidth * NS_PER_S,
        pair_ns=4.0 * heads * dim / rate * NS_PER_S,
    )


@dataclass(frozen=True, slots=True)
class DecodeParameters:
    """Of attention of one query a request over its cache."""

    base_ns: float = 9800.0  # plan and kernel, for requests without a past
    tile_ns: float = 3100.0  # of one request and key head on an SM
    bandwidth_share: float = 0.89


def decode_parameters(device: Gpu) -> DecodeParameters:
    """Fitted for the GPU's architecture, else typical."""
    table = load("decode_attention.json")
    return DecodeParameters(**table.get(fitted_as(device), {}))


def flash_attention_3(work: Definition, _name: Signature) -> AttentionProblem | None:
    """Without its lengths: as if all tokens were one request without a cache."""
    image = Image(work.blob)
    tokens, dim, heads = image.read(FLASH_3_QUERIES)
    _, _, kv_heads = image.read(FLASH_3_KEYS)
    if not (tokens > 0 and 0 < dim <= 512 and 0 < kv_heads <= heads <= 4096):
        return None
    return AttentionProblem(
        1, heads, kv_heads, tokens, tokens, dim, causal=True, implementation="library"
    )


def rms_norm(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """Read and written once."""
    return _rows(work, RMS_NORM, 2)


def rms_norm_and_add(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """Input and residual, read and written."""
    return _rows(work, RMS_NORM_AND_ADD, 4)


def _rows(work: Definition, place: Place, passes: int) -> Cost | None:
    tokens, columns = Image(work.blob).read(place)
    return Cost(float(passes * tokens * columns * _BYTES)) if min(tokens, columns) > 0 else None


def gated_activation(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """A token a block: two halves read, one written."""
    columns = Image(work.blob).number(GATED_COLUMNS)
    return Cost(float(3 * blocks(work) * columns * _BYTES)) if columns > 0 else None


def rotary_embedding(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """A token a block: queries and keys are turned in place."""
    image = Image(work.blob)
    dimensions, heads = image.number(ROTARY_DIMENSIONS), sum(image.read(ROTARY_HEADS))
    if min(dimensions, heads) <= 0:
        return None
    return Cost(float(2 * blocks(work) * heads * dimensions * _BYTES))


def cache_of_keys(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """A token a block: keys and values are copied into their pages."""
    heads, dimensions = Image(work.blob).read(CACHED_HEADS)
    if min(heads, dimensions) <= 0:
        return None
    return Cost(float(4 * blocks(work) * heads * dimensions * _BYTES))
