"""The model of train_gpt2.py on many GPUs, with DDP or FSDP2. Start with torchrun."""

import argparse
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from train_gpt2 import GPT

VOCABULARY = 50304


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strategy", choices=("ddp", "fsdp"), default="ddp")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--micro-batch", type=int, default=4)
    parser.add_argument("--global-batch", type=int, default=0, help="0: one micro-batch a rank")
    parser.add_argument("--checkpoint", action="store_true", help="recompute activations")
    parser.add_argument("--optimizer", choices=("fused", "foreach"), default="fused")
    parser.add_argument("--bucket-mb", type=int, default=25, help="DDP: gradients sent at once")
    parser.add_argument("--unit", type=int, default=1, help="FSDP: blocks gathered at once")
    parser.add_argument("--keep-parameters", action="store_true", help="FSDP: until backward")
    parser.add_argument("--reduce", choices=("bf16", "fp32"), default="fp32", help="FSDP")
    return parser.parse_args()


def parallel(model: GPT, args: argparse.Namespace) -> nn.Module:
    """The model as the strategy wants it."""
    if args.checkpoint:
        model.blocks = nn.ModuleList(checkpoint_wrapper(block) for block in model.blocks)
    if args.strategy == "ddp":
        device = torch.cuda.current_device()
        return nn.parallel.DistributedDataParallel(
            model.cuda(), device_ids=[device], bucket_cap_mb=args.bucket_mb
        )
    dtype = torch.bfloat16 if args.reduce == "bf16" else torch.float32
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=dtype)
    blocks = list(model.blocks)
    for start in range(0, len(blocks), args.unit):
        unit = blocks[start : start + args.unit]
        fully_shard(unit, mp_policy=policy, reshard_after_forward=not args.keep_parameters)
    return fully_shard(model.cuda(), mp_policy=policy)


def main() -> None:
    """Train on random tokens."""
    args = arguments()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    with torch.device("cuda"):
        bare = GPT(VOCABULARY, args.length, args.width, args.layers, heads=args.width // 64)
    model = parallel(bare, args)
    settings = {"fused": True} if args.optimizer == "fused" else {"foreach": True}
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, **settings)
    replicas = args.micro_batch * dist.get_world_size()
    rounds = max(1, args.global_batch // replicas)
    while True:
        for number in range(rounds):
            ids = torch.randint(VOCABULARY, (args.micro_batch, args.length + 1)).cuda()
            with synchronised(model, number == rounds - 1):
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    logits = model(ids[:, :-1])
                    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
                (loss / rounds).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def synchronised(model: nn.Module, last: bool) -> contextlib.AbstractContextManager[None]:
    """Gradients travel with the last micro-batch only."""
    if isinstance(model, nn.parallel.DistributedDataParallel):
        return contextlib.nullcontext() if last else model.no_sync()
    model.set_requires_gradient_sync(last)
    return contextlib.nullcontext()


if __name__ == "__main__":
    main()
