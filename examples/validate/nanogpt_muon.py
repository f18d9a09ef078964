"""GPT-2 124M with torch.compile, DistributedDataParallel and Muon: runs of modded-nanogpt.

Written after two records of October 2024. `--later` is the second: separate projections, normalised
queries and keys, squared ReLU, and Muon's work shared between the ranks. Tuning of compiled kernels
by coordinate descent, which needs a GPU to time them, is left out.
"""

import argparse
import os
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional


@torch.compile
def orthogonal(gradient: torch.Tensor) -> torch.Tensor:
    """Five Newton-Schulz steps in bf16."""
    x = gradient.bfloat16()
    x = x / (x.norm() + 1e-7)
    wide = x.size(0) <= x.size(1)
    x = x if wide else x.T
    for _ in range(5):
        square = x @ x.T
        product = square @ x
        x = 3.4445 * x - 4.7750 * product + 2.0315 * square @ product
    return x if wide else x.T


class Muon(torch.optim.Optimizer):
    def __init__(self, parameters: Any, shared: bool) -> None:
        super().__init__(parameters, {"lr": 3.6e-4})
        self.shared = shared

    def direction(self, weight: torch.Tensor) -> torch.Tensor:
        gradient = weight.grad
        assert gradient is not None
        state = self.state[weight]
        if not state:
            state["momentum"] = torch.zeros_like(gradient)
        state["momentum"].mul_(0.95).add_(gradient)
        gradient = gradient.add(state["momentum"], alpha=0.95)
        if gradient.size(0) == 3 * gradient.size(1):
            parts = gradient.split(gradient.size(1))
            return torch.cat([orthogonal(part) for part in parts])
        return orthogonal(gradient)

    @torch.no_grad()
    def step(self, _closure: Any = None) -> None:
        weights = self.param_groups[0]["params"]
        if not self.shared:
            for weight in weights:
                weight.add_(self.direction(weight).type_as(weight), alpha=-1e-2)
            return
        total = sum(weight.numel() for weight in weights)
        updates = torch.zeros(total, device="cuda", dtype=torch.bfloat16)
        parts = updates.split([weight.numel() for weight in weights])
        for index, (weight, part) in enumerate(zip(weights, parts, strict=True)):
            if index % dist.get_world_size() == dist.get_rank():
                part.copy_(self.direction(weight).mul_(max(weight.shape) ** 0.5).flatten())
        dist.all_reduce(updates)
        for weight, part in zip(weights, parts, strict=True):
            weight.add_(part.view_as(weight).type_as(weight), alpha=-1e-3)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=3)
    return torch.cat([first * cos + second * sin, second * cos - first * sin], 3).type_as(x)


class Block(nn.Module):
    def __init__(self, width: int, heads: int, later: bool) -> None:
        super().__init__()
        self.heads, self.later = heads, later
        shapes = [width, width, width] if later else [3 * width]
        self.qkv = nn.ModuleList(nn.Linear(width, out, bias=False) for out in shapes)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def norm(self, x: torch.Tensor) -> torch.Tensor:
        if self.later:
            return functional.rms_norm(x, (x.size(-1),))
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(x)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        h = self.norm(x)
        parts = torch.cat([part(h) for part in self.qkv], 2) if self.later else self.qkv[0](h)
        q, k, v = (part.view(batch, length, self.heads, -1) for part in parts.split(width, dim=2))
        if self.later:
            q, k = self.norm(q), self.norm(k)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        turned = (part.transpose(1, 2) for part in (q, k, v))
        y = functional.scaled_dot_product_attention(*turned, is_causal=True)
        y = self.out(y.transpose(1, 2).contiguous().view_as(x))
        x = x + (y if self.later else 0.2 * y)
        inner = self.up(self.norm(x))
        return x + self.down(inner.relu().square() if self.later else functional.gelu(inner))


class Gpt(nn.Module):
    def __init__(self, width: int, heads: int, layers: int, length: int, later: bool) -> None:
        super().__init__()
        vocabulary = 50304 if later else 50257
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads, later) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.tokens.weight = self.head.weight
        half = width // heads // 2
        angles = torch.outer(torch.arange(length), 1e4 ** (-torch.arange(half) / half))
        kind = torch.bfloat16 if later else torch.float32
        self.register_buffer("cos", angles.cos().to(kind)[None, :, None, :])
        self.register_buffer("sin", angles.sin().to(kind)[None, :, None, :])

    def forward(self, ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        logits = self.head(self.blocks[0].norm(x)).float()
        return functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("width", "heads", "layers", "seq-len", "batch-size"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--later", action="store_true")
    parser.add_argument("--steps", type=int, default=5000)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    plain = Gpt(args.width, args.heads, args.layers, args.seq_len, args.later).cuda()
    model = nn.parallel.DistributedDataParallel(torch.compile(plain), device_ids=[local])
    adam = torch.optim.AdamW(plain.head.parameters(), lr=3.6e-3, betas=(0.9, 0.95), fused=True)
    muon = Muon(plain.blocks.parameters(), shared=args.later)
    for _ in range(args.steps):
        ids = torch.zeros(args.batch_size, args.seq_len, dtype=torch.long).cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(ids, ids)
        loss.backward()
        adam.step()
        muon.step()
        model.zero_grad(set_to_none=True)


if __name__ == "__main__":
    main()
