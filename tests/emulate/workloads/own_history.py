"""Records the allocator's history before the device is first used, as PyTorch's tutorials do."""

import json
import sys

import torch

torch.cuda.memory._record_memory_history(max_entries=1000)
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    model(torch.zeros(8, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
trace = torch.cuda.memory._snapshot()["device_traces"][0]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump([entry["action"] for entry in trace], file)
