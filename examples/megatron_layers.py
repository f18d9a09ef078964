"""Layers for train_megatron.py: megatron-core's local ones, with two of torch's in place of Apex's.

megatron-core's own LayerNorm without Apex refuses sequence parallelism, and its attention without
Transformer Engine is neither fused nor context parallel.
"""

import math

import torch
from megatron.core import parallel_state
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.tensor_parallel import all_to_all
from megatron.core.transformer.moe import moe_utils
from megatron.core.transformer.transformer_block import (
    TransformerBlockSubmodules,
    get_num_layers_to_build,
)
from torch.nn import functional as F

# megatron-core 0.16.1 asks whether this is None, but only defines it with Transformer Engine.
vars(moe_utils).setdefault("te_general_gemm", None)


class Norm(torch.nn.LayerNorm):
    """LayerNorm that says when sequence parallelism leaves its gradients partial."""

    def __init__(self, config, hidden_size: int, eps: float = 1e-5, **_: object) -> None:
        super().__init__(hidden_size, eps=eps)
        for parameter in self.parameters():
            parameter.sequence_parallel = config.sequence_parallel


class FlashAttention(torch.nn.Module):
    """Causal attention by torch; under context parallelism heads are exchanged for sequence."""

    def __init__(self, config, *_: object, **__: object) -> None:
        super().__init__()
        self.dropout = config.attention_dropout
        self.scale = 1 / math.sqrt(config.kv_channels)
        self.group = parallel_state.get_context_parallel_group()
        self.ranks = config.context_parallel_size

    def forward(self, query, key, value, *_: object, **__: object):
        # From [sequence, batch, heads, width].
        q, k, v = (self.whole_sequence(x).permute(1, 2, 0, 3) for x in (query, key, value))
        mixed = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, scale=self.scale, dropout_p=self.dropout * self.training
        )
        return self.own_sequence(mixed.permute(2, 0, 1, 3)).flatten(2)

    def whole_sequence(self, x):
        """[s / ranks, b, heads, w] -> [s, b, heads / ranks, w]."""
        if self.ranks == 1:
            return x
        parts = x.unflatten(2, (self.ranks, -1)).permute(2, 0, 1, 3, 4).contiguous()
        return all_to_all(self.group, parts).flatten(0, 1)

    def own_sequence(self, x):
        """[s, b, heads / ranks, w] -> [s / ranks, b, heads, w]."""
        if self.ranks == 1:
            return x
        parts = all_to_all(self.group, x.unflatten(0, (self.ranks, -1)).contiguous())
        return parts.permute(1, 2, 0, 3, 4).flatten(2, 3)


def layer_specs(config, attention: str, stage: int | None) -> TransformerBlockSubmodules:
    """The layers of this rank, or of one virtual stage of it."""
    spec = get_gpt_layer_local_spec(num_experts=config.num_moe_experts)
    spec.submodules.input_layernorm = Norm
    spec.submodules.pre_mlp_layernorm = Norm
    if attention == "flash":
        spec.submodules.self_attention.submodules.core_attention = FlashAttention
    layers = get_num_layers_to_build(config, vp_stage=stage)
    return TransformerBlockSubmodules(layer_specs=[spec] * layers, layer_norm=Norm)
