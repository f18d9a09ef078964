"""Profiles itself with torch.profiler and looks at what the profiler saw of the GPU."""

import json
import os
import tempfile

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

device = "cuda"
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
directory = tempfile.mkdtemp()
path = os.path.join(directory, "trace.json")
windows = []


def on_ready(prof):
    prof.export_chrome_trace(path)
    windows.append(
        [event for event in prof.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    )
    print(prof.key_averages().table(sort_by="cuda_time_total", row_limit=5))


with profile(
    activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
    schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
    on_trace_ready=on_ready,
    record_shapes=True,
    profile_memory=True,
) as prof:
    for _ in range(5):
        with record_function("train_step"):
            x = torch.randn(32, 64).to(device)
            noise = torch.rand(1 << 20, device=device).mean()
            loss = model(x + noise).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss.item()
        prof.step()

assert len(windows) == 1
assert any("elementwise" in event.name for event in windows[0])
with open(path) as file:
    events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
launches = {
    event["args"]["correlation"]
    for event in events
    if event.get("cat") in ("cuda_runtime", "cuda_driver")
}
for category in ("kernel", "gpu_memcpy", "gpu_memset"):
    found = [event for event in events if event.get("cat") == category]
    assert found, f"no {category} in the exported trace"
    assert all(event["args"]["correlation"] in launches for event in found), (
        f"{category} without its launch"
    )
print("done")
