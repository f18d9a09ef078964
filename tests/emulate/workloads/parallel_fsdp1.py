"""FullyShardedDataParallel (FSDP1) with its sharding strategies, mixed precision and offload."""

import argparse
import functools

import torch
import torch.distributed as dist
from parallel_model import GPT, Block, batch, loss_of, start
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (
    CPUOffload,
    FullyShardedDataParallel,
    MixedPrecision,
    ShardingStrategy,
)
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

STRATEGIES = {
    "full": ShardingStrategy.FULL_SHARD,
    "grad": ShardingStrategy.SHARD_GRAD_OP,
    "hybrid": ShardingStrategy.HYBRID_SHARD,
    "none": ShardingStrategy.NO_SHARD,
}
parser = argparse.ArgumentParser()
parser.add_argument("--strategy", choices=STRATEGIES, default="full")
parser.add_argument("--shards", type=int, default=2, help="shards of a hybrid replica")
parser.add_argument("--offload", action="store_true")
parser.add_argument("--layers", type=int, default=3)
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()

device = start()
world = dist.get_world_size()
hybrid = args.strategy == "hybrid"
mesh = init_device_mesh("cuda", (world // args.shards, args.shards)) if hybrid else None
model = FullyShardedDataParallel(
    GPT(args.layers),
    sharding_strategy=STRATEGIES[args.strategy],
    device_mesh=mesh,
    auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block}),
    mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
    cpu_offload=CPUOffload(args.offload),
    device_id=device,
    use_orig_params=True,
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(args.steps):
    inputs, targets = batch(2, device)
    loss_of(model(inputs), targets).backward()
    model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
