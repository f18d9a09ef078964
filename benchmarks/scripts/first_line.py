"""A rank of eight stages that tells what it cost before its own first line, and then trains."""

import os
import re
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from megatron.core import parallel_state, tensor_parallel  # noqa: F401
from megatron.core.models.gpt.gpt_model import GPTModel  # noqa: F401
from megatron.core.optimizer import get_megatron_optimizer  # noqa: F401
from megatron.core.pipeline_parallel import get_forward_backward_func  # noqa: F401

CPU_S = time.process_time()
OWN = re.search(r"Private_Dirty: +(\d+)", Path("/proc/self/smaps_rollup").read_text())
print(f"RANK {os.environ['RANK']} {CPU_S:.3f} {int(OWN.group(1)) / 1024:.1f}", flush=True)

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
stage, stages = dist.get_rank(), dist.get_world_size()
layer = torch.nn.Linear(1024, 1024, device="cuda")
optimizer = torch.optim.AdamW(layer.parameters())
for _ in range(int(sys.argv[1])):
    given = torch.zeros(64, 1024, device="cuda")
    if stage > 0:
        dist.recv(given, stage - 1)
    made = layer(given)
    if stage < stages - 1:
        dist.send(made.detach(), stage + 1)
    made.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
