"""GPT-2 124M, eager, batch 12 x 1024: CPU milliseconds of the least disturbed steady step."""

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from train_gpt2 import GPT

WARM_UP, MEASURED = 3, 40

model = GPT(vocabulary=50304, length=1024, width=768, layers=12, heads=12).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
ids = torch.randint(50304, (12, 1025), device="cuda")
times = []
for _ in range(WARM_UP + MEASURED):
    started = time.process_time()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        logits = model(ids[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    times.append((time.process_time() - started) * 1e3)
print(f"step_cpu_ms={min(times[WARM_UP:])}")
