"""What the pages of real runs are made of: five programs that record in a minute each."""

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FRAMEWORKS = Path(os.environ.get("MAYA_PYTHON_FRAMEWORKS", ROOT / ".venv-frameworks/bin/python"))
_EXAMPLES = ROOT / "examples"
_TORCHRUN = "-m torch.distributed.run"
_GPT = f"{_EXAMPLES / 'train_gpt_parallel.py'} --layers 2 --width 256 --length 128"


@dataclass(frozen=True, slots=True)
class Program:
    """A command without its interpreter, and where it is predicted to run."""

    cluster: str
    words: str
    frameworks: bool = False
    fits: bool = True


PROGRAMS = {
    "eager": Program(
        "h100:1", f"{_EXAMPLES / 'train_gpt2.py'} --layers 2 --width 256 --length 128"
    ),
    "compiled-ddp": Program("h100:8", f"{_TORCHRUN} --nproc-per-node 8 {{compiled}}"),
    "fsdp2": Program(
        "h100:8x8", f"{_TORCHRUN} --nnodes 8 --nproc-per-node 8 {_GPT} --strategy fsdp"
    ),
    "pipeline": Program(
        "h100:8x32",
        f"{_TORCHRUN} --nnodes 32 --nproc-per-node 8 {_EXAMPLES / 'train_megatron.py'} "
        "--pp 8 --tp 8 --layers 8 --global-batch 16 --steps 40",
        frameworks=True,
    ),
    "out-of-memory": Program(
        "h100:1", f"{_EXAMPLES / 'train_gpt2.py'} --layers 2 --batch-size 2000", fits=False
    ),
}

COMPILED = """
import os, sys
import torch
import torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
layers = [torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.GELU()) for _ in range(3)]
model = torch.compile(torch.nn.Sequential(*layers).cuda())
model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for _ in range(2000):
    model(torch.randn(64, 256).cuda()).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
