"""Tensor parallelism by torch's symmetric memory: products that gather and scatter on their way."""

import os

import torch
import torch.distributed as dist
from torch.distributed import _symmetric_memory as symmetric

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
group = dist.group.WORLD.group_name
symmetric.enable_symm_mem_for_group(group)
rows = torch.randn(512, 1024, device="cuda", dtype=torch.bfloat16)
first = torch.randn(1024, 2048, device="cuda", dtype=torch.bfloat16, requires_grad=True)
second = torch.randn(2048, 1024, device="cuda", dtype=torch.bfloat16, requires_grad=True)
optimizer = torch.optim.SGD([first, second], lr=0.1)
while True:
    with torch.no_grad():
        _, (wide,) = torch.ops.symm_mem.fused_all_gather_matmul(rows, [first], 0, group)
        torch.ops.symm_mem.fused_matmul_reduce_scatter(wide, second, "sum", 0, group)
    first.grad, second.grad = torch.zeros_like(first), torch.zeros_like(second)
    optimizer.step()
