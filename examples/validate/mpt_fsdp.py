"""MPT language models sharded with FullyShardedDataParallel, as llm-foundry's throughput table.

Written out here: blocks without biases, learned positions, tied output weights. Each block is a
unit of FSDP; every micro-batch synchronises; gradients are clipped by norm. The table was measured
with FlashAttention's first version in Triton and a fused cross-entropy that overwrites the logits;
PyTorch's memory-efficient attention, which is of that generation, and a loss that works on pieces
of the logits stand in for them.
"""

import argparse
import os
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    apply_activation_checkpointing,
)
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

SIZES = {"125m": (768, 12, 12), "350m": (1024, 16, 24), "760m": (1536, 12, 24)}
VOCABULARY = 50368
ROWS = 8192  # of logits at a time


class Loss(torch.autograd.Function):
    """Cross-entropy; the gradient takes the place of the logits."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        total = torch.zeros((), device=logits.device)
        for part, label in zip(logits.split(ROWS), labels.split(ROWS), strict=True):
            likely = functional.log_softmax(part, dim=-1, dtype=torch.float32)
            total -= likely.gather(1, label.unsqueeze(1)).sum()
        ctx.save_for_backward(logits, labels)
        return total / len(labels)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        logits, labels = ctx.saved_tensors
        scale = gradient / len(labels)
        for part, label in zip(logits.split(ROWS), labels.split(ROWS), strict=True):
            torch.softmax(part, dim=-1, out=part)
            part.scatter_add_(1, label.unsqueeze(1), part.new_full((len(label), 1), -1.0))
            part.mul_(scale)
        return logits, None


class Norm(nn.LayerNorm):
    """In bf16 also under autocast, which would do it in fp32: llm-foundry's default."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cuda", enabled=False):
            weight = self.weight.to(torch.bfloat16)
            return functional.layer_norm(
                x.to(torch.bfloat16), self.normalized_shape, weight, None, self.eps
            )


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1 = Norm(width, bias=False)
        self.wqkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.norm_2 = Norm(width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.wqkv(self.norm_1(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = (part.transpose(1, 2) for part in parts.unbind(2))
        with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


class Mpt(nn.Module):
    def __init__(self, size: str, length: int) -> None:
        super().__init__()
        width, heads, layers = SIZES[size]
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = Norm(width, bias=False)

    def forward(self, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.tokens(ids) + self.positions(places)
        for block in self.blocks:
            x = block(x)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        loss: torch.Tensor = Loss.apply(logits.view(-1, VOCABULARY), labels.view(-1))
        return loss


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=SIZES, required=True)
    parser.add_argument("--seq-len", type=int, required=True)
    parser.add_argument("--micro-batch", type=int, required=True)
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--pure", action="store_true", help="bf16 throughout, no autocast")
    parser.add_argument("--checkpoint-activations", action="store_true")
    parser.add_argument("--steps", type=int, default=1000)
    return parser.parse_args()


def shard(args: argparse.Namespace) -> FullyShardedDataParallel:
    reduce = torch.bfloat16 if args.pure else torch.float32
    with torch.device("cuda"):
        model = Mpt(args.model, args.seq_len)
    wrapped = FullyShardedDataParallel(
        model,
        auto_wrap_policy=ModuleWrapPolicy({Block}),
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=reduce),
        device_id=torch.cuda.current_device(),
        limit_all_gathers=True,
    )
    if args.checkpoint_activations:
        apply_activation_checkpointing(wrapped, check_fn=lambda m: isinstance(m, Block))
    return wrapped


def main() -> None:
    args = parse()
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    torch.distributed.init_process_group("nccl")
    model = shard(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.0)
    autocast = partial(torch.autocast, "cuda", dtype=torch.bfloat16, enabled=not args.pure)
    shape = (args.micro_batch, args.seq_len)
    for _ in range(args.steps):
        for _ in range(args.accumulate):
            ids = torch.zeros(shape, dtype=torch.int64).pin_memory().cuda(non_blocking=True)
            with autocast():
                loss = model(ids, ids) / args.accumulate
            loss.backward()
        model.clip_grad_norm_(1.0)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
