"""DTensor tensor parallelism, with sequence parallelism, and optionally FSDP2 around it."""

import argparse

import torch
import torch.distributed as dist
from parallel_model import GPT, batch, loss_of, start
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

parser = argparse.ArgumentParser()
parser.add_argument("--tp", type=int, default=2)
parser.add_argument("--sequence-parallel", action="store_true")
parser.add_argument("--layers", type=int, default=3)
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()


def plan_of_block():
    names = ("attention.q", "attention.k", "attention.v", "up")
    plan = {name: ColwiseParallel() for name in names}
    rows = {"output_layouts": Shard(1)} if args.sequence_parallel else {}
    plan |= {name: RowwiseParallel(**rows) for name in ("attention.out", "down")}
    if args.sequence_parallel:
        whole = {"input_layouts": (Shard(1),), "desired_input_layouts": (Replicate(),)}
        plan |= {"norm1": SequenceParallel(), "norm2": SequenceParallel()}
        plan |= {
            "attention": PrepareModuleInput(**whole),
            "up": ColwiseParallel(input_layouts=Shard(1)),
        }
    return plan


def plan_of_model():
    if not args.sequence_parallel:
        return {
            "tokens": RowwiseParallel(input_layouts=Replicate()),
            "head": ColwiseParallel(output_layouts=Replicate()),
        }
    return {
        "tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }


device = start()
data = dist.get_world_size() // args.tp
mesh = init_device_mesh("cuda", (data, args.tp), mesh_dim_names=("dp", "tp"))
model = parallelize_module(GPT(args.layers).to(device), mesh["tp"], plan_of_model())
for block in model.blocks:
    parallelize_module(block, mesh["tp"], plan_of_block())
    if data > 1:
        fully_shard(block, mesh=mesh["dp"])
if data > 1:
    fully_shard(model, mesh=mesh["dp"])
# Without sequence parallelism norms stay plain tensors: foreach kernels refuse such a mixture.
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=args.sequence_parallel)
for _ in range(args.steps):
    inputs, targets = batch(2, device)
    loss_of(model(inputs), targets).backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
