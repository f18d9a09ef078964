"""CUDA graphs: graphed callables, then a whole training step captured once and replayed."""

import torch
from torch import nn

device = "cuda"
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64)).to(device)
head = nn.Linear(64, 1).to(device)
sample = torch.randn(16, 64, device=device, requires_grad=True)
head = torch.cuda.make_graphed_callables(head, (sample,))
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-3, capturable=True)

for _ in range(2):
    loss = head(model(torch.randn(16, 64, device=device))).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
print("callables", flush=True)
del loss  # or its graph would tie the gradients to the default stream, which cannot be captured

x, y = torch.empty(16, 64, device=device), torch.empty(16, 64, device=device)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
print("captured", flush=True)

for step in range(600_000):
    x.copy_(torch.randn(16, 64))
    y.copy_(torch.randn(16, 64))
    graph.replay()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
