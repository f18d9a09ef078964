"""Jobs that fail on real GPUs: ranks that disagree, wait for each other, raise or die."""

import argparse
import os
import signal
import time

import torch
import torch.distributed as dist
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument(
    "kind", choices=("mismatch", "message", "order", "stall", "backward", "sleep", "raise", "die")
)
args = parser.parse_args()

local = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
dist.init_process_group("nccl")
rank = dist.get_rank()
model = nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
large = torch.zeros(1 << 20, device="cuda")
small = torch.ones(4, device="cuda")
dist.all_reduce(small)


def disagree():
    """Sizes that differ by rank."""
    dist.all_reduce(large[: len(large) - rank])


def send_too_much():
    """The receiver expects less."""
    if rank == 0:
        dist.send(large, 1)
    else:
        dist.recv(large[1:], 0)


def receive_first():
    """Both ranks receive before they send."""
    dist.recv(large, 1 - rank)
    dist.send(large, 1 - rank)


def stall():
    """One rank gathers, the other broadcasts from where nobody sends."""
    if rank == 0:
        dist.broadcast(small, src=1)
        print(small.sum().item())
    else:
        dist.recv(small, 0)
        print(small.sum().item())
        dist.broadcast(small, src=1)


def stall_in_backward():
    """One rank waits in a hook of its backward pass, the other in its main thread."""
    wait = torch.ones(4, device="cuda", requires_grad=True)
    if rank == 0:
        wait.register_hook(lambda grad: dist.broadcast(grad, src=1))
        (wait * 2).sum().backward()
    else:
        dist.recv(small, 0)
        print(small.sum().item())


for step in range(600_000):
    model(torch.randn(8, 64, device="cuda")).sum().backward()
    if args.kind == "mismatch" and step == 1:
        disagree()
    if args.kind == "message" and step == 1:
        send_too_much()
    if args.kind == "order":
        receive_first()
    if args.kind == "stall" and step == 1:
        stall()
    if args.kind == "backward" and step == 1:
        stall_in_backward()
    if args.kind == "sleep" and step == 1 and rank == 1:
        time.sleep(float(os.environ["SLEEP_SECONDS"]))
    if args.kind == "raise" and step == 1 and rank == 1:
        raise RuntimeError("this rank gives up")
    if args.kind == "die" and step == 1 and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(model.weight.grad)
    optimizer.step()
    optimizer.zero_grad()
