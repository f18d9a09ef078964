"""DistributedDataParallel: small buckets, gradient accumulation without sync, static graph."""

import argparse
import contextlib

import torch
import torch.distributed as dist
from parallel_model import GPT, batch, loss_of, start
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--bucket-mb", type=float, default=0.25)
parser.add_argument("--accumulate", type=int, default=1, help="micro-batches a step")
parser.add_argument("--static-graph", action="store_true")
parser.add_argument("--layers", type=int, default=3)
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()
if args.static_graph and args.accumulate > 1:
    parser.error("torch 2.9's reducer asserts when a static graph begins under no_sync")

device = start()
model = DistributedDataParallel(
    GPT(args.layers).to(device),
    device_ids=[device.index],
    bucket_cap_mb=args.bucket_mb,
    static_graph=args.static_graph,
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
for _ in range(args.steps):
    for micro in range(args.accumulate):
        last = micro == args.accumulate - 1
        with contextlib.nullcontext() if last else model.no_sync():
            inputs, targets = batch(2, device)
            loss_of(model(inputs), targets).backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
