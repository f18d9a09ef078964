"""GPT in fp16 with tensor, pipeline and data parallelism in Megatron's manner.

Every layer is recomputed in the backward pass; pipelines run one forward, one backward; gradients
are reduced in fp16 buckets; Adam keeps fp32 masters. Attention's dropout has its own state of
random numbers, which is put in place and taken out again on the host. Megatron's fused kernels are
stood in for by the same in Triton.

`--expert-loss`: every layer makes the loss of experts that it does not have, a zero that is copied
to the GPU and waited for, as in Microsoft's Megatron-DeepSpeed of 2022 and 2023.
"""

import argparse
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from megatron_fused import BiasDropoutAdd, CausalSoftmax
from torch import nn
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

VOCABULARY = 50257
DROPOUT = 0.1
BUCKET = 250_000_000  # elements
SCALE = 4096.0


class Copy(torch.autograd.Function):
    """Into a tensor-parallel region."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
        return reduced(gradient)


class Reduce(torch.autograd.Function):
    """Out of a tensor-parallel region."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
        return reduced(x)

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


class Groups:
    """Who this rank is; ranks count tensor first, then data, then pipeline."""

    def __init__(self, tp: int, dp: int, pp: int) -> None:
        rank = dist.get_rank()
        self.tp, self.dp, self.pp = tp, dp, pp
        self.stage = rank // (tp * dp)
        self.first, self.last = self.stage == 0, self.stage == pp - 1
        self.before, self.after = rank - tp * dp, rank + tp * dp
        self.tensor: Any = None
        self.data: Any = None
        self.ends: Any = None
        for stage in range(pp):
            base = stage * tp * dp
            for d in range(dp):
                ranks = [base + d * tp + t for t in range(tp)]
                self._join("tensor", ranks, rank)
            for t in range(tp):
                self._join("data", [base + d * tp + t for d in range(dp)], rank)
        for place in range(tp * dp):
            if pp > 1:
                self._join("ends", [place, place + (pp - 1) * tp * dp], rank)

    def _join(self, name: str, ranks: list[int], rank: int) -> None:
        group = dist.new_group(ranks)
        if rank in ranks:
            setattr(self, name, group)


groups: Groups


def reduced(x: torch.Tensor, op: Any = dist.ReduceOp.SUM) -> torch.Tensor:
    if groups.tp > 1:
        x = x.contiguous()
        dist.all_reduce(x, op, group=groups.tensor)
    return x


class RandomStates:
    """Random numbers of tensor-parallel regions, which differ from rank to rank."""

    def __init__(self) -> None:
        self.inner = torch.cuda.get_rng_state()

    @contextmanager
    def fork(self) -> Iterator[None]:
        outer = torch.cuda.get_rng_state()
        generator = torch.cuda.default_generators[torch.cuda.current_device()]
        generator.set_state(self.inner)
        yield
        self.inner = torch.cuda.get_rng_state()
        generator.set_state(outer)


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, states: RandomStates, expert_loss: bool) -> None:
        super().__init__()
        self.states, self.expert_loss = states, expert_loss
        part = width // groups.tp
        self.heads = heads // groups.tp
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.dense = nn.Linear(width, 3 * part), nn.Linear(part, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * part), nn.Linear(4 * part, width, bias=False)
        self.dense_bias = nn.Parameter(torch.zeros(width))
        self.down_bias = nn.Parameter(torch.zeros(width))

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        length, batch, _ = x.shape
        qkv = self.qkv(Copy.apply(x)).view(length, batch * self.heads, 3, -1)
        q, k, v = (part.squeeze(2).transpose(0, 1) for part in qkv.split(1, dim=2))
        blank = torch.empty(q.shape[0], length, length, dtype=q.dtype, device=q.device)
        scale = 1 / math.sqrt(q.shape[-1])
        scores = torch.baddbmm(blank, q, k.transpose(1, 2), beta=0.0, alpha=scale)
        weights = CausalSoftmax.apply(scores)
        with self.states.fork():
            weights = functional.dropout(weights, DROPOUT)
        mixed = torch.bmm(weights, v).transpose(0, 1).reshape(length, batch, -1)
        return Reduce.apply(self.dense(mixed))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = BiasDropoutAdd.apply(self.attend(self.norm_1(x)), self.dense_bias, x, DROPOUT)
        if self.expert_loss:
            torch.tensor(0.0, device=x.device, dtype=x.dtype)
        inner = functional.gelu(self.up(Copy.apply(self.norm_2(x))), approximate="tanh")
        inner = Reduce.apply(self.down(inner))
        return BiasDropoutAdd.apply(inner, self.down_bias, x, DROPOUT)


class Stage(nn.Module):
    def __init__(self, args: argparse.Namespace) -> None:
        super().__init__()
        multiple = 128 * groups.tp
        self.part = -(-VOCABULARY // multiple) * multiple // groups.tp
        count = args.layers // groups.pp
        own = (args.hidden, args.heads, RandomStates(), args.expert_loss)
        self.layers = nn.ModuleList(Layer(*own) for _ in range(count))
        if groups.first or groups.last:
            self.words = nn.Parameter(torch.randn(self.part, args.hidden) * 0.02)
        if groups.first:
            self.positions = nn.Embedding(args.seq_len, args.hidden)
        if groups.last:
            self.norm = nn.LayerNorm(args.hidden)

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        outside = ids >= self.part
        found = functional.embedding(ids.masked_fill(outside, 0), self.words)
        if groups.tp > 1:
            found = Reduce.apply(found.masked_fill(outside.unsqueeze(-1), 0.0))
        places = torch.arange(ids.shape[1], device=ids.device)
        x = (found + self.positions(places)).transpose(0, 1).contiguous()
        return functional.dropout(x, DROPOUT)

    def loss(self, x: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        logits = functional.linear(Copy.apply(self.norm(x)), self.words).float()
        logits = logits - reduced(logits.detach().amax(-1), dist.ReduceOp.MAX).unsqueeze(-1)
        target = ids.t().masked_fill(ids.t() >= self.part, 0).unsqueeze(-1)
        chosen = Reduce.apply(logits.gather(-1, target).squeeze(-1))
        total = Reduce.apply(logits.exp().sum(-1))
        return (total.log() - chosen).mean()

    def forward(self, x: torch.Tensor | None, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids) if x is None else x
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)
        return self.loss(x, ids) if groups.last else x


class Pipeline:
    """One forward, one backward."""

    def __init__(self, stage: Stage, args: argparse.Namespace) -> None:
        self.stage, self.micro = stage, args.global_batch // args.micro_batch // args.dp
        self.shape = (args.seq_len, args.micro_batch, args.hidden)
        self.ids_shape = (args.micro_batch, args.seq_len)

    def exchange(self, sends: list[tuple[Any, int]], peers: list[int]) -> list[torch.Tensor]:
        taken = [torch.empty(self.shape, dtype=torch.half, device="cuda") for _ in peers]
        ops = [dist.P2POp(dist.isend, tensor, peer) for tensor, peer in sends]
        ops += [dist.P2POp(dist.irecv, x, p) for x, p in zip(taken, peers, strict=True)]
        for work in dist.batch_isend_irecv(ops) if ops else []:
            work.wait()
        return taken

    def forward(self, x: torch.Tensor | None) -> tuple[torch.Tensor | None, torch.Tensor]:
        ids = torch.zeros(self.ids_shape, dtype=torch.int64).cuda(non_blocking=True)
        if x is not None:
            x.requires_grad_()
        y = self.stage(x, ids)
        return x, y * (SCALE / self.micro) if groups.last else y

    def backward(self, held: tuple[Any, torch.Tensor], gradient: torch.Tensor | None) -> Any:
        x, y = held
        torch.autograd.backward(y, gradient)
        return None if x is None else x.grad

    def run(self) -> None:
        before = [] if groups.first else [groups.before]
        after = [] if groups.last else [groups.after]
        warm = min(groups.pp - groups.stage - 1, self.micro)
        held: list[tuple[Any, torch.Tensor]] = []

        def one(items: list[torch.Tensor]) -> torch.Tensor | None:
            return items[0] if items else None

        for _ in range(warm):
            held.append(self.forward(one(self.exchange([], before))))
            self.exchange([(held[-1][1].detach(), peer) for peer in after], [])
        steady = self.micro - warm
        x = one(self.exchange([], before)) if steady else None
        for index in range(steady):
            held.append(self.forward(x))
            gradient = one(self.exchange([(held[-1][1].detach(), p) for p in after], after))
            back = self.backward(held.pop(0), gradient)
            more = before if index + 1 < steady else []
            x = one(self.exchange([(back, peer) for peer in before], more))
        for _ in range(warm):
            back = self.backward(held.pop(0), one(self.exchange([], after)))
            self.exchange([(back, peer) for peer in before], [])


class Optimizer:
    """Adam on fp32 masters of fp16 weights."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.weights = list(stage.parameters())
        self.masters = [weight.detach().float() for weight in self.weights]
        self.adam = torch.optim.AdamW(self.masters, lr=1.5e-4, fused=True)

    def reduce(self) -> None:
        if groups.ends is not None and (groups.first or groups.last):
            dist.all_reduce(self.stage.words.grad, group=groups.ends)
        if groups.dp == 1:
            return
        bucket: list[torch.Tensor] = []
        for gradient in [weight.grad for weight in self.weights]:
            bucket.append(gradient)
            if sum(g.numel() for g in bucket) > BUCKET or gradient is self.weights[-1].grad:
                flat = _flatten_dense_tensors(bucket)
                flat.div_(groups.dp)
                dist.all_reduce(flat, group=groups.data)
                parts = _unflatten_dense_tensors(flat, bucket)
                torch._foreach_copy_(bucket, list(parts))
                bucket = []

    def step(self) -> None:
        self.reduce()
        for master, weight in zip(self.masters, self.weights, strict=True):
            master.grad = weight.grad.float()
        gradients = [master.grad for master in self.masters]
        norm = torch.stack(torch._foreach_norm(gradients)).norm()
        squared = reduced(norm * norm)
        if groups.pp > 1:
            dist.all_reduce(squared)
        clip = 1.0 / (float(squared.sqrt()) / SCALE + 1e-6)
        torch._foreach_mul_(gradients, min(1.0, clip) / SCALE)
        self.adam.step()
        torch._foreach_copy_(self.weights, self.masters)
        for weight in self.weights:
            weight.grad = None


def main() -> None:
    global groups  # noqa: PLW0603
    parser = argparse.ArgumentParser()
    for name in ("global-batch", "micro-batch", "hidden", "heads", "layers", "seq-len"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name in ("tp", "dp", "pp"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--expert-loss", action="store_true")
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl")
    groups = Groups(args.tp, args.dp, args.pp)
    with torch.device("cuda"):
        stage = Stage(args).half()
    pipeline, optimizer = Pipeline(stage, args), Optimizer(stage)
    for _ in range(args.steps):
        pipeline.run()
        with torch.no_grad():
            optimizer.step()


if __name__ == "__main__":
    main()
