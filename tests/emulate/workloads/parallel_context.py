"""Context parallelism: the sequence is sharded and attention goes round a ring."""

import argparse

import torch
import torch.distributed as dist
from parallel_model import GPT, batch, loss_of, start
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.experimental import context_parallel
from torch.distributed.tensor.experimental._attention import set_rotate_method
from torch.nn.attention import SDPBackend, sdpa_kernel

parser = argparse.ArgumentParser()
parser.add_argument("--rotate", choices=("allgather", "alltoall"), default="alltoall")
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()

device = start()
mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("cp",))
set_rotate_method(args.rotate)
model = GPT(args.layers).to(device, dtype=torch.bfloat16)
for block in model.blocks:
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(args.steps):
    inputs, targets = batch(2, device, length=256)
    with (
        sdpa_kernel(SDPBackend.FLASH_ATTENTION),
        context_parallel(mesh, buffers=[inputs, targets], buffer_seq_dims=[1, 1]),
    ):
        loss_of(model(inputs), targets).backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
