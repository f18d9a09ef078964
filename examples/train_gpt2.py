"""A GPT-2-like language model, trained as on any GPU machine. Nothing here knows of Maya."""

import argparse

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    """Attention and a feed-forward layer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.feed(self.norm2(x))


class GPT(nn.Module):
    """Embeddings, blocks, and a head that shares its weights with the token embedding."""

    def __init__(self, vocabulary: int, length: int, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)


def main() -> None:
    """Train on random tokens."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=600_000)
    parser.add_argument("--batch-size", type=int, default=12)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    args = parser.parse_args()

    vocabulary = 50304
    print(f"training on {torch.cuda.get_device_name()}", flush=True)
    model = GPT(vocabulary, args.length, args.width, args.layers, heads=args.width // 64).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, fused=True)
    for iteration in range(args.iterations):
        ids = torch.randint(vocabulary, (args.batch_size, args.length + 1)).cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            logits = model(ids[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if iteration % 10 == 0:
            print(f"iteration {iteration}: loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
