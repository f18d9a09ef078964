"""Two ranks that need nothing of each other; one fails, before or after it had enough steps."""

import os
import signal
import sys
import time

import torch
from torch import nn

rank, kind = int(os.environ["RANK"]), sys.argv[1]
torch.cuda.set_device(rank)
model = nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if rank == 0 and kind == "killed-when-ready":
    while not os.path.exists(sys.argv[2]):
        time.sleep(0.01)
    with open(sys.argv[2]) as file:
        peer = f"/proc/{file.read()}"
    while os.path.exists(peer):  # it is gone before this rank begins
        time.sleep(0.01)
for step in range(600_000):
    model(torch.randn(4, 8, device="cuda")).sum().backward()
    optimizer.step()
    if rank == 1 and kind == "raises-at-once":
        raise RuntimeError("this rank gives up")
    if rank == 1 and kind == "killed-when-ready" and step == 40:
        with open(sys.argv[2] + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(sys.argv[2] + ".new", sys.argv[2])
        os.kill(os.getpid(), signal.SIGKILL)
