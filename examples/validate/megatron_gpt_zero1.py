"""The same GPT with Adam's state sharded over data-parallel ranks (ZeRO, stage 1).

Gradients are reduced to the rank that updates their part of the flat parameters; weights, which
are views of one buffer, are gathered again afterwards.
"""

from typing import Any

import megatron_gpt
import torch
import torch.distributed as dist
from megatron_gpt import SCALE, Stage

ALIGNMENT = 64  # elements


class ShardedOptimizer:
    """Adam on an fp32 master of this rank's part of the fp16 weights."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.groups = stage, megatron_gpt.groups
        self.weights = list(stage.parameters())
        size = sum(weight.numel() for weight in self.weights)
        multiple = ALIGNMENT * self.groups.dp
        self.flat = self.weights[0].new_zeros(-(-size // multiple) * multiple)
        start = 0
        for weight in self.weights:
            view = self.flat[start : start + weight.numel()].view_as(weight)
            view.copy_(weight.detach())
            weight.data = view
            start += weight.numel()
        part = self.flat.numel() // self.groups.dp
        place = dist.get_rank(self.groups.data) * part
        self.part = self.flat[place : place + part]
        self.master = self.part.float()
        self.adam = torch.optim.AdamW([self.master], lr=1.5e-4, fused=True)

    def reduce(self) -> torch.Tensor:
        groups = self.groups
        if groups.ends is not None and (groups.first or groups.last):
            dist.all_reduce(self.stage.words.grad, group=groups.ends)
        flat = torch.zeros_like(self.flat)
        start = 0
        for weight in self.weights:
            flat[start : start + weight.numel()].copy_(weight.grad.view(-1))
            start += weight.numel()
            weight.grad = None
        if groups.dp == 1:
            return flat
        flat.div_(groups.dp)
        own = torch.empty_like(self.part)
        dist.reduce_scatter_tensor(own, flat, group=groups.data)
        return own

    def step(self) -> None:
        gradient = self.reduce().float()
        norm: Any = gradient.norm()
        squared = norm * norm
        if dist.get_world_size() > 1:
            dist.all_reduce(squared)
        clip = 1.0 / (float(squared.sqrt()) / SCALE + 1e-6)
        gradient.mul_(min(1.0, clip) / SCALE)
        self.master.grad = gradient
        self.adam.step()
        self.master.grad = None
        self.part.copy_(self.master)
        if self.groups.dp > 1:
            dist.all_gather_into_tensor(self.flat, self.part, group=self.groups.data)


if __name__ == "__main__":
    megatron_gpt.Optimizer = ShardedOptimizer
    megatron_gpt.main()
