"""What scripts exchange with ranks that are no process; every answer is checked."""

import datetime
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
rank, world = dist.get_rank(), dist.get_world_size()
assert rank == 0  # stands for all the others
directory = sys.argv[1]


def here(*numbers):
    return torch.tensor(numbers, device="cuda")


def objects():
    gathered = [None] * world
    dist.gather_object({"rank": rank, "text": "x" * 1000}, gathered, dst=0)
    assert [each["rank"] for each in gathered] == [0] * world
    listed = [{"seed": 7}]
    dist.broadcast_object_list(listed, src=0)
    assert listed == [{"seed": 7}]
    mine = [None]
    dist.scatter_object_list(mine, list(range(world)), src=0)
    assert mine == [0]


def on_the_device():
    """What a peer sends to this rank is what this rank sends to itself."""
    parts = [here(0) for _ in range(world)]
    dist.gather(here(5), parts, dst=0)
    assert torch.cat(parts).tolist() == [5] * world
    received = torch.zeros(world, dtype=torch.int64, device="cuda")
    dist.all_to_all_single(received, here(*range(3, 3 + world)))
    assert received.tolist() == [3] * world
    without_us = dist.new_group([1, 2, 3])
    assert dist.get_rank(without_us) == -1
    mesh = init_device_mesh("cuda", (world // 4, 2, 2), mesh_dim_names=("dp", "cp", "tp"))
    ones = here(1)
    dist.all_reduce(ones, group=mesh["dp", "cp"]._flatten("dp_cp").get_group())
    assert ones.item() == world // 2


def on_the_host():
    gloo = dist.new_group(backend="gloo")
    total, least = torch.ones(3), torch.tensor([4])
    work = dist.all_reduce(total, group=gloo, async_op=True)
    work.wait()
    assert total.tolist() == [world] * 3
    dist.all_reduce(least, op=dist.ReduceOp.MIN, group=gloo)
    assert least.item() == 4
    dist.monitored_barrier(gloo, timeout=datetime.timedelta(seconds=20))
    store = dist.TCPStore("127.0.0.1", 0, world, rank == 0)
    store.set(f"ready/{rank}", "yes")
    store.wait([f"ready/{other}" for other in range(world)])
    assert store.add("arrived", 1) == world


def checkpoint():
    """The launched rank's part is written and read again."""
    model = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64)).cuda()
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(2, 64, device="cuda")).sum().backward()
    optimizer.step()
    for action in (dcp.save, dcp.load):
        weights, states = get_state_dict(model, optimizer)
        action({"model": weights, "optimizer": states}, checkpoint_id=directory)
    set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=states)


objects()
on_the_device()
on_the_host()
checkpoint()
model = nn.parallel.DistributedDataParallel(nn.Linear(64, 64).cuda())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _step in range(600_000):
    model(torch.randn(8, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
