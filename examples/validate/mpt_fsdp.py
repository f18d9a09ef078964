"""MPT language models sharded with FullyShardedDataParallel, as llm-foundry's throughput table.

Written out here after llm-foundry and Composer of April 2023: learned positions, tied output
weights, biases everywhere (the table's counts of parameters have them). Each block is a unit of
FSDP; every micro-batch synchronises; gradients are clipped by norm; the optimiser works through
the parameters one after another. A mask of padding comes with the tokens, which the host looks
into and from which positions follow.
After each micro-batch Composer works out two training metrics, cross-entropy and perplexity, each
the loss once more from the logits in fp32; after each step it reads losses and metrics of all
ranks back to the host.

The table was measured with FlashAttention's first version in Triton, for which PyTorch's
memory-efficient attention stands in, which is of that generation, and with a fused cross-entropy
in CUDA, for which the same in Triton does.
"""

import argparse
import os
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
import triton
import triton.language as tl
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    apply_activation_checkpointing,
)
from torch.distributed.fsdp import (
    BackwardPrefetch,
    FullyShardedDataParallel,
    MixedPrecision,
    ShardingStrategy,
)
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

SIZES = {  # width, heads, layers
    "125m": (768, 12, 12),
    "350m": (1024, 16, 24),
    "760m": (1536, 12, 24),
    "1b": (2048, 16, 24),
    "3b": (2560, 20, 32),
    "7b": (4096, 32, 32),
    "13b": (5120, 40, 40),
    "30b": (7168, 56, 48),
    "70b": (8192, 64, 80),
}
VOCABULARY = 50368
PIECE = 2048  # of a row of logits
IGNORED = -100


@triton.jit
def loss_forward(logits, labels, losses, sums, columns, piece: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, piece)
    top = tl.full((piece,), float("-inf"), tl.float32)
    total = tl.zeros((piece,), tl.float32)
    for start in range(0, columns, piece):
        inside = start + place < columns
        part = tl.load(logits + row * columns + start + place, mask=inside, other=float("-inf"))
        higher = tl.maximum(top, part.to(tl.float32))
        total = total * tl.exp(top - higher) + tl.exp(part.to(tl.float32) - higher)
        top = higher
    highest = tl.max(top, 0)
    both = tl.log(tl.sum(total * tl.exp(top - highest), 0)) + highest
    label = tl.load(labels + row)
    chosen = tl.load(logits + row * columns + label, mask=label >= 0, other=0.0)
    tl.store(losses + row, tl.where(label >= 0, both - chosen.to(tl.float32), 0.0))
    tl.store(sums + row, both)


@triton.jit
def loss_backward(logits, labels, sums, scale, out, columns, piece: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, piece)
    label = tl.load(labels + row)
    factor = tl.where(label >= 0, tl.load(scale), 0.0)
    both = tl.load(sums + row)
    for start in range(0, columns, piece):
        inside = start + place < columns
        part = tl.load(logits + row * columns + start + place, mask=inside, other=0.0)
        likely = tl.exp(part.to(tl.float32) - both)
        slope = (likely - tl.where(start + place == label, 1.0, 0.0)) * factor
        tl.store(out + row * columns + start + place, slope.to(tl.bfloat16), mask=inside)


class Loss(torch.autograd.Function):
    """Cross-entropy in one kernel each way, which leaves the logits as they are."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        rows, columns = logits.shape
        losses, sums = torch.empty(2, rows, device=logits.device).unbind()
        loss_forward[rows,](logits, labels, losses, sums, columns, PIECE, num_warps=8)
        count = (labels != IGNORED).sum()
        ctx.save_for_backward(logits, labels, sums, count)
        return losses.sum() / count

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        logits, labels, sums, count = ctx.saved_tensors
        out = torch.empty_like(logits)
        rows, columns = logits.shape
        scale = gradient / count
        loss_backward[rows,](logits, labels, sums, scale, out, columns, PIECE, num_warps=8)
        return out, None


class Norm(nn.LayerNorm):
    """In bf16 also under autocast, which would do it in fp32: llm-foundry's default."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cuda", enabled=False):
            weight, bias = self.weight.to(torch.bfloat16), self.bias.to(torch.bfloat16)
            return functional.layer_norm(
                x.to(torch.bfloat16), self.normalized_shape, weight, bias, self.eps
            )


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1 = Norm(width)
        self.wqkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm_2 = Norm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

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
        self.norm = Norm(width)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if mask[:, 0].sum() != mask.shape[0]:
            raise ValueError("padding on the left")
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        places = torch.clamp(places - torch.cumsum(mask == 0, dim=1), min=0)
        x = self.tokens(ids) + self.positions(places)
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.tokens.weight)


class Adam(torch.optim.Optimizer):
    """Composer's DecoupledAdamW without decay: parameter by parameter."""

    @torch.no_grad()
    def step(self, _closure: Any = None) -> None:
        for weight in self.param_groups[0]["params"]:
            state = self.state[weight]
            if not state:
                state |= {"mean": torch.zeros_like(weight), "square": torch.zeros_like(weight)}
            mean, square = state["mean"], state["square"]
            mean.mul_(0.9).add_(weight.grad, alpha=0.1)
            square.mul_(0.95).addcmul_(weight.grad, weight.grad, value=0.05)
            weight.addcdiv_(mean, (square.sqrt() / 0.5).add_(1e-8), value=-6e-4)


class Metric:
    """Composer's LanguageCrossEntropy; the perplexity differs by an exponential at the end."""

    def __init__(self) -> None:
        self.loss, self.items = torch.zeros(2, device="cuda").unbind()

    def update(self, logits: torch.Tensor, labels: torch.Tensor) -> None:
        labels = labels.view(-1)
        logits = logits.view(len(labels), -1)
        self.loss = self.loss + functional.cross_entropy(logits, labels, reduction="sum")
        self.items = self.items + (labels != IGNORED).sum()

    def compute(self) -> float:
        for state in (self.loss, self.items):
            dist.barrier()
            parts = [torch.empty_like(state) for _ in range(dist.get_world_size())]
            dist.all_gather(parts, state.contiguous())
        return float((self.loss / self.items).item())


def shifted(ids: torch.Tensor) -> torch.Tensor:
    labels = torch.roll(ids, shifts=-1)
    labels[:, -1] = IGNORED
    return labels


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=SIZES, required=True)
    parser.add_argument("--seq-len", type=int, required=True)
    parser.add_argument("--micro-batch", type=int, required=True)
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--pure", action="store_true", help="gradients are reduced in bf16")
    parser.add_argument("--strategy", default="FULL_SHARD", help="of sharding")
    parser.add_argument("--checkpoint-activations", action="store_true")
    parser.add_argument("--steps", type=int, default=1000)
    return parser.parse_args()


def shard(args: argparse.Namespace) -> FullyShardedDataParallel:
    reduce = torch.bfloat16 if args.pure else torch.float32
    with torch.device("meta"):  # the large ones fit no GPU before they are sharded
        model = Mpt(args.model, args.seq_len)
    wrapped = FullyShardedDataParallel(
        model,
        sharding_strategy=ShardingStrategy[args.strategy],
        auto_wrap_policy=ModuleWrapPolicy({Block}),
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=reduce),
        backward_prefetch=BackwardPrefetch.BACKWARD_POST,
        device_id=torch.cuda.current_device(),
        limit_all_gathers=True,
        param_init_fn=lambda module: module.to_empty(device="cuda", recurse=False),
    )
    if args.checkpoint_activations:
        apply_activation_checkpointing(wrapped, check_fn=lambda m: isinstance(m, Block))
    return wrapped


def micro_step(
    model: nn.Module, ids: torch.Tensor, share: float, metrics: list[Metric]
) -> torch.Tensor:
    autocast = partial(torch.autocast, "cuda", dtype=torch.bfloat16)
    with autocast():
        logits = model(ids, torch.ones_like(ids, dtype=torch.bool))
        labels = shifted(ids)
        loss: torch.Tensor = Loss.apply(logits.view(-1, VOCABULARY), labels.view(-1)) * share
    loss.backward()
    with torch.no_grad(), autocast():
        for metric in metrics:
            metric.update(logits, labels)
    return loss.detach()


def main() -> None:
    args = parse()
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl")
    model = shard(args)
    optimizer = Adam(model.parameters(), {"lr": 6e-4})
    shape = (args.micro_batch * args.accumulate, args.seq_len)
    for _ in range(args.steps):
        batch = torch.zeros(shape, dtype=torch.int64).pin_memory().cuda(non_blocking=True)
        metrics = [Metric(), Metric()]
        total = torch.zeros((), device="cuda")
        optimizer.zero_grad()
        for ids in batch.split(args.micro_batch):
            total += micro_step(model, ids, 1 / args.accumulate, metrics)
        model.clip_grad_norm_(1.0)
        optimizer.step()
        dist.all_reduce(total)
        total.item()
        for metric in metrics:
            metric.compute()


if __name__ == "__main__":
    main()
