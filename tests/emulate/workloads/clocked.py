"""Training that times itself: by the host's clock, by events, and by PyTorch's profiler."""

import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

STEPS = 6

model = nn.Sequential(*(nn.Linear(4096, 4096) for _ in range(6))).cuda().bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.ones(8192, 4096, device="cuda", dtype=torch.bfloat16)


def train():
    for _ in range(STEPS):
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


train()
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
torch.cuda.synchronize()
started = time.perf_counter()
begin.record()
train()
end.record()
torch.cuda.synchronize()
print("host", 1e3 * (time.perf_counter() - started) / STEPS)
print("events", begin.elapsed_time(end) / STEPS)
with profile(activities=[ProfilerActivity.CUDA]) as profiled:
    train()
    torch.cuda.synchronize()
busy_us = sum(event.self_device_time_total for event in profiled.key_averages())
print("profiler", busy_us / 1e3 / STEPS)
