"""fully_shard (FSDP2): resharding on or off, mixed precision, hybrid sharding, CPU offload."""

import argparse

import torch
import torch.distributed as dist
from parallel_model import GPT, batch, loss_of, start
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (
    CPUOffloadPolicy,
    MixedPrecisionPolicy,
    OffloadPolicy,
    fully_shard,
)

parser = argparse.ArgumentParser()
parser.add_argument("--keep-unsharded", action="store_true", help="do not reshard after forward")
parser.add_argument("--mixed", action="store_true", help="bf16 parameters, fp32 reduction")
parser.add_argument("--replicas", type=int, default=1, help="replicas of a hybrid sharded model")
parser.add_argument("--offload", action="store_true")
parser.add_argument("--layers", type=int, default=3)
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()

device = start()
world = dist.get_world_size()
if args.replicas > 1:
    shape, names = (args.replicas, world // args.replicas), ("replicate", "shard")
else:
    shape, names = (world,), ("shard",)
options = {
    "mesh": init_device_mesh("cuda", shape, mesh_dim_names=names),
    "reshard_after_forward": not args.keep_unsharded,
    "offload_policy": CPUOffloadPolicy() if args.offload else OffloadPolicy(),
}
if args.mixed:
    options["mp_policy"] = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
with torch.device("meta"):
    model = GPT(args.layers)
for block in model.blocks:
    fully_shard(block, **options)
fully_shard(model, **options)
model.to_empty(device="cpu" if args.offload else device)
for parameter in model.parameters():
    nn.init.normal_(parameter, std=0.02)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(args.steps):
    inputs, targets = batch(2, device)
    loss_of(model(inputs), targets).backward()
    if not args.offload:  # the norm of parameters on the CPU needs a gloo group
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
