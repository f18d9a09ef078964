"""GPT-2 124M, eager, batch 12 x 1024: CPU time of steps, recording on and off in turn."""

import ctypes
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from train_gpt2 import GPT

WARM_UP, PAIRS = 3, 150

pause_recording = ctypes.CDLL(None).maya_pause_recording
model = GPT(vocabulary=50304, length=1024, width=768, layers=12, heads=12).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
ids = torch.randint(50304, (12, 1025), device="cuda")


def step_cpu_ms() -> float:
    started = time.process_time()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        logits = model(ids[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    return (time.process_time() - started) * 1e3


for _ in range(WARM_UP):
    step_cpu_ms()
recorded, unrecorded = [], []
for pair in range(PAIRS):
    # Each goes first as often as the other: the second of two steps finds warmer caches.
    for pause in (pair % 2, 1 - pair % 2):
        pause_recording(pause)
        (unrecorded if pause else recorded).append(step_cpu_ms())
pause_recording(0)
print(f"recorded_ms={statistics.median(recorded)}")
print(f"unrecorded_ms={statistics.median(unrecorded)}")
# Neighbours on the machine slow both steps of a pair alike.
ratios = [on / off for on, off in zip(recorded, unrecorded, strict=True)]
print(f"ratio={statistics.median(ratios)}")
