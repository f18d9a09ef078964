"""A small model under every way of applying an optimiser: fused, foreach, one by one."""

import torch
from torch import nn

device = "cuda"
optim = torch.optim
choices = {
    "adamw fused": lambda p: optim.AdamW(p, fused=True),
    "adamw foreach": lambda p: optim.AdamW(p, foreach=True),
    "adamw plain": lambda p: optim.AdamW(p, foreach=False, fused=False),
    "adam amsgrad capturable": lambda p: optim.Adam(p, amsgrad=True, capturable=True),
    "sgd": lambda p: optim.SGD(p, lr=0.1, foreach=False),
    "sgd momentum foreach": lambda p: optim.SGD(
        p, lr=0.1, momentum=0.9, nesterov=True, foreach=True
    ),
    "sgd fused": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, fused=True),
    "adagrad": optim.Adagrad,
    "rmsprop": optim.RMSprop,
    "adamax": optim.Adamax,
    "nadam": optim.NAdam,
    "rprop": optim.Rprop,
}
for name, make in choices.items():
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    optimizer = make(model.parameters())
    for _ in range(2):
        torch.cuda.nvtx.range_push(name)
        loss = model(torch.randn(8, 64, device=device)).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.nvtx.range_pop()
    print(name, flush=True)
