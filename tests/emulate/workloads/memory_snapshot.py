"""What PyTorch says of its memory: history, snapshot, statistics, the device's figures."""

import os
import pickle
import tempfile

import torch
from torch import nn

device = "cuda"
torch.cuda.memory._record_memory_history(max_entries=10_000)
free_before, total = torch.cuda.mem_get_info()
model = nn.Linear(1024, 1024).to(device)
weights = torch.cuda.memory_allocated()
assert weights == 4 * (1024 * 1024 + 1024), weights

torch.cuda.reset_peak_memory_stats()
model(torch.randn(256, 1024, device=device)).sum().backward()
torch.cuda.synchronize()
assert torch.cuda.max_memory_allocated() > 2 * weights
assert torch.cuda.memory_stats()["num_alloc_retries"] == 0

block = torch.empty(256 << 20, dtype=torch.uint8, device=device)
free_after, _ = torch.cuda.mem_get_info()
assert free_before - free_after >= 256 << 20, (free_before, free_after)
del block
torch.cuda.empty_cache()
assert torch.cuda.mem_get_info()[0] - free_after >= 256 << 20
assert 0 < free_before < total <= torch.cuda.get_device_properties(0).total_memory

with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "snapshot.pickle")
    torch.cuda.memory._dump_snapshot(path)
    with open(path, "rb") as file:
        snapshot = pickle.load(file)
assert snapshot["segments"]
assert any(snapshot["device_traces"])
print(torch.cuda.memory_summary(abbreviated=True))
print("done")
