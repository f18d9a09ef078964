"""Four layers of GPT-2 under torch.compile."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from train_gpt2 import GPT

model = torch.compile(GPT(vocabulary=50304, length=1024, width=768, layers=4, heads=12).cuda())
optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, fused=True)
while True:
    ids = torch.randint(50304, (12, 1025)).cuda(non_blocking=True)
    with torch.autocast("cuda", torch.bfloat16):
        logits = model(ids[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
