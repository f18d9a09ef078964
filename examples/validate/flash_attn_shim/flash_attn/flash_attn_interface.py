"""FlashAttention 2 as PyTorch builds it."""

from typing import Any

import torch


def flash_attn_varlen_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    return_attn_probs: bool = False,
) -> torch.Tensor:
    result: tuple[torch.Tensor, ...] = torch.ops.aten._flash_attention_forward(
        q,
        k,
        v,
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        dropout_p,
        causal,
        return_attn_probs,
        scale=softmax_scale,
    )
    return result[0]


def flash_attn_with_kvcache(*_: Any, **__: Any) -> None:
    raise NotImplementedError("training needs no cache")
