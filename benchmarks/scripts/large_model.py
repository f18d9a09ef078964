"""Seven billion parameters created on the device: resident megabytes of the process at its peak."""

import resource

import torch
from torch import nn

LAYERS, WIDTH, HIDDEN, VOCABULARY = 32, 4096, 11008, 32000

with torch.device("cuda"):
    layers = [
        nn.ModuleList(
            [nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)]
            + [nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2)]
            + [nn.Linear(HIDDEN, WIDTH, bias=False)]
        )
        for _ in range(LAYERS)
    ]
    model = nn.ModuleList([nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY), *layers])
model.bfloat16()
x = torch.randn(4, 2048, WIDTH, device="cuda", dtype=torch.bfloat16)
for layer in layers:
    for linear in layer:
        linear(
            x if linear.in_features == WIDTH else x.repeat(1, 1, 3)[..., :HIDDEN]
        ).sum().backward()
print(f"parameters={sum(p.numel() for p in model.parameters())}")
print(f"resident_mb={resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}")
