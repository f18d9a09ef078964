"""Every NCCL collective, point-to-point and object exchange, with values to check."""

import os

import torch
import torch.distributed as dist

local = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
device = torch.device("cuda", local)
dist.init_process_group("nccl", device_id=device)
rank, size = dist.get_rank(), dist.get_world_size()
ranks, following, before = list(range(size)), (rank + 1) % size, (rank - 1) % size


def here(*numbers, dtype=torch.float32):
    return torch.tensor(numbers, dtype=dtype).to(device)


def check(name, tensor, *numbers):
    assert tensor.cpu().flatten().tolist() == list(numbers), (
        name,
        rank,
        tensor.cpu().tolist(),
        numbers,
    )
    if rank == 0:
        print(name, flush=True)


for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.uint8):
    x = here(rank + 1, 10 * rank, dtype=dtype)
    dist.all_reduce(x)
    check(f"all_reduce {dtype}", x, sum(r + 1 for r in ranks), sum(10 * r for r in ranks))
for op, expected in [
    ("MAX", size),
    ("MIN", 1),
    ("AVG", (size + 1) / 2),
    ("PRODUCT", 2 if size == 2 else None),
]:
    x = here(rank + 1)
    dist.all_reduce(x, op=getattr(dist.ReduceOp, op))
    check(f"all_reduce {op}", x, expected)
work = dist.all_reduce(x := here(rank), async_op=True)
work.wait()
check("all_reduce async", x, sum(ranks))

dist.broadcast(x := here(rank + 5), src=1)
check("broadcast", x, 6)
dist.reduce(x := here(rank + 1), dst=0)
if rank == 0:
    check("reduce", x, sum(r + 1 for r in ranks))

dist.all_gather(parts := [here(0, 0) for _ in ranks], here(rank, rank + 100))
check(
    "all_gather",
    torch.stack([part.cpu() for part in parts]),
    *[v for r in ranks for v in (r, r + 100)],
)
dist.all_gather_into_tensor(x := here(*[0] * size), here(rank + 3))
check("all_gather_into_tensor", x, *[r + 3 for r in ranks])
dist.reduce_scatter_tensor(x := here(0), here(*[rank + 10 * r for r in ranks]))
check("reduce_scatter_tensor", x, sum(ranks) + 10 * rank * size)
dist.reduce_scatter(x := here(0), [here(rank + 10 * r) for r in ranks])
check("reduce_scatter", x, sum(ranks) + 10 * rank * size)

dist.all_to_all_single(x := here(*[0] * size), here(*[10 * rank + r for r in ranks]))
check("all_to_all_single", x, *[10 * r + rank for r in ranks])
dist.all_to_all(parts := [here(0) for _ in ranks], [here(10 * rank + r) for r in ranks])
check("all_to_all", torch.cat([part.cpu() for part in parts]), *[10 * r + rank for r in ranks])
dist.scatter(x := here(0), [here(r + 7) for r in ranks] if rank == 0 else None, src=0)
check("scatter", x, rank + 7)
dist.gather(here(rank + 8), parts := [here(0) for _ in ranks] if rank == 0 else None, dst=0)
if rank == 0:
    check("gather", torch.cat([part.cpu() for part in parts]), *[r + 8 for r in ranks])

if rank == 0:
    dist.send(here(1, 2, 3), dst=1)
elif rank == 1:
    dist.recv(x := here(0, 0, 0), src=0)
    check("recv", x, 1, 2, 3)
x = here(-1)
operations = [dist.P2POp(dist.isend, here(rank + 50), following), dist.P2POp(dist.irecv, x, before)]
for request in dist.batch_isend_irecv(operations):
    request.wait()
check("batch_isend_irecv", x, before + 50)

group = dist.new_group(ranks)
dist.all_reduce(x := here(rank), group=group)
check("all_reduce in a second group", x, sum(ranks))
with dist._coalescing_manager(group, device=device):
    dist.all_reduce(x := here(rank + 1), group=group)
    dist.all_reduce(y := here(rank + 2), group=group)
check(
    "coalesced", torch.cat([x.cpu(), y.cpu()]), sum(r + 1 for r in ranks), sum(r + 2 for r in ranks)
)

dist.all_gather_object(things := [None] * size, {"rank": rank, "text": "x" * (rank + 1)})
assert things == [{"rank": r, "text": "x" * (r + 1)} for r in ranks], things
dist.broadcast_object_list(
    things := [("config", 3.5), [1, 2]] if rank == 0 else [None, None], src=0
)
assert things == [("config", 3.5), [1, 2]], things
dist.scatter_object_list(
    things := [None], [f"for {r}" for r in ranks] if rank == 0 else None, src=0
)
assert things == [f"for {rank}"], things
dist.gather_object(rank, things := [None] * size if rank == 0 else None, dst=0)
assert rank or things == ranks
dist.barrier()

large = torch.ones(1 << 24, device=device)
dist.all_reduce(large)
torch.cuda.synchronize()
dist.destroy_process_group()
print(f"rank {rank} done", flush=True)
