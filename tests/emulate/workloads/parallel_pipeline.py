"""torch.distributed.pipelining: one stage a rank, or several with the interleaved schedules."""

import argparse
import gc

import torch
import torch.distributed as dist
from parallel_model import GPT, batch, loss_of, start
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleInterleavedZeroBubble,
    ScheduleZBVZeroBubble,
)
from torch.nn.parallel import DistributedDataParallel

SCHEDULES = {
    "gpipe": (ScheduleGPipe, 1),
    "1f1b": (Schedule1F1B, 1),
    "interleaved": (ScheduleInterleaved1F1B, 2),
    "zero-bubble": (ScheduleInterleavedZeroBubble, 2),
    "zbv": (ScheduleZBVZeroBubble, 2),
}
parser = argparse.ArgumentParser()
parser.add_argument("--schedule", choices=SCHEDULES, default="1f1b")
parser.add_argument("--pp", type=int, default=0, help="stages; 0: every rank")
parser.add_argument("--micro-batches", type=int, default=4)
parser.add_argument("--layers", type=int, default=2, help="of one stage")
parser.add_argument("--larger", type=int, default=-1, help="a rank with a layer more in each stage")
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()


def stage_indices(rank: int, ranks: int) -> list[int]:
    """The stages of a rank: in a V for ZBV, in a loop for the other interleaved schedules."""
    if args.schedule == "zbv":
        return [rank, 2 * ranks - 1 - rank]
    return [rank + turn * ranks for turn in range(chunks)]


device = start()
pp = args.pp or dist.get_world_size()
mesh = init_device_mesh("cuda", (dist.get_world_size() // pp, pp), mesh_dim_names=("dp", "pp"))
pipe, data = mesh["pp"], mesh["dp"]
schedule_class, chunks = SCHEDULES[args.schedule]
total = pp * chunks
indices = stage_indices(pipe.get_local_rank(), pp)
layers = args.layers + (pipe.get_local_rank() == args.larger)
parts = [GPT(layers, first=i == 0, last=i == total - 1).to(device) for i in indices]
if data.size() > 1:
    parts = [DistributedDataParallel(part, process_group=data.get_group()) for part in parts]
stages = [
    PipelineStage(part, index, total, device, group=pipe.get_group())
    for part, index in zip(parts, indices, strict=True)
]
schedule = schedule_class(stages[0] if chunks == 1 else stages, args.micro_batches, loss_fn=loss_of)
optimizer = torch.optim.AdamW([p for part in parts for p in part.parameters()], lr=1e-3)
# The schedules leave tensors in reference cycles. Left to itself, Python's collector frees them
# whenever enough objects were made, and the peak of memory differs from run to run.
gc.disable()
for _ in range(args.steps):
    inputs, targets = batch(2 * args.micro_batches, device)
    first, last = 0 in indices, total - 1 in indices
    schedule.step(*([inputs] if first else []), **({"target": targets} if last else {}))
    optimizer.step()
    optimizer.zero_grad()
    gc.collect()
dist.destroy_process_group()
