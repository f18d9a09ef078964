"""A small GPT and its data, shared by the parallel_*.py workloads."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F

VOCABULARY, LENGTH, WIDTH, HEADS = 512, 64, 128, 4


def start() -> torch.device:
    """Join the job as torchrun describes it and take the local GPU."""
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    return torch.device("cuda", local)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        # The number of heads is inferred: tensor parallelism leaves a rank only some of them.
        q, k, v = (
            part(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Stages of a pipeline leave out the embedding, the head, or both."""

    def __init__(self, layers: int, *, first: bool = True, last: bool = True) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH) if first else nn.Identity()
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.norm = nn.LayerNorm(WIDTH) if last else nn.Identity()
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False) if last else nn.Identity()

    def forward(self, x):
        x = self.tokens(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def batch(size: int, device: torch.device, length: int = LENGTH):
    """Inputs and targets: made on the host, as a data loader would."""
    ids = torch.randint(0, VOCABULARY, (size, length + 1))
    return ids[:, :-1].contiguous().to(device), ids[:, 1:].contiguous().to(device)


def loss_of(logits, targets):
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())
