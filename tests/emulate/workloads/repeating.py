"""Loops in which something smaller than a step repeats for a long time."""

import itertools
import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional

LAYERS = 36
MICRO_BATCHES = 32

kind = sys.argv[1]
depth = LAYERS if kind in ("inference", "one by one") else 3
layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(depth))
model = nn.Sequential(nn.Embedding(16, 32), *layers, nn.Linear(32, 8)).cuda()
ids = torch.zeros(4, dtype=torch.long, device="cuda")
parameters = list(model.parameters())


def micro_batch():
    functional.cross_entropy(model(ids), ids % 8).backward()
    if kind == "own":
        time.sleep(0.07)  # as in a large model: a step lasts longer than an optimiser is waited for


def infer():
    """Layers by the dozen, each like the others."""
    hidden = model[0](ids)
    for layer in layers:
        hidden = functional.gelu(functional.layer_norm(hidden + layer(hidden), (32,))).mul(2).cos()
        time.sleep(0.01)


@torch.no_grad()
def descend():
    """An optimiser that nobody has heard of."""
    for parameter in parameters:
        parameter.sub_(0.1 * parameter.grad)
        parameter.grad = None


def own_optimizer():
    for _ in range(MICRO_BATCHES):
        micro_batch()
    descend()


own_updates = ("inference", "own", "one by one", "decomposed")
optimizer = None if kind in own_updates else torch.optim.AdamW(parameters)
turns = itertools.cycle((64, 6400, 640_000))


def by_turns():
    """Whole steps of which every third is like the first."""
    torch.ones(next(turns), device="cuda").cos()
    functional.cross_entropy(model(ids), ids % 8).backward()
    optimizer.step()
    optimizer.zero_grad()


epoch = itertools.cycle((True, False, False))


def evaluate():
    """Before each epoch of three steps."""
    if next(epoch):
        with torch.no_grad():
            for _ in range(4):
                functional.cross_entropy(model(ids), ids % 8)


def evaluated():
    evaluate()
    functional.cross_entropy(model(ids), ids % 8).backward()
    optimizer.step()
    optimizer.zero_grad()


def logged():
    """Every third step launches a little more."""
    if next(turns) == 64:
        parameters[0].grad = torch.ones_like(parameters[0]).cos()
    functional.cross_entropy(model(ids), ids % 8).backward()
    optimizer.step()
    optimizer.zero_grad()


chances = random.Random(0)


def many_sizes():
    """Steps that differ in what they launch, as inputs of many sizes lead to."""
    if kind == "many sizes, evaluated":
        evaluate()
    hidden = torch.ones(64, device="cuda")
    for operation in chances.choices((torch.sin, torch.cos, torch.exp), k=5 + chances.randrange(4)):
        operation(hidden)
    functional.cross_entropy(model(ids), ids % 8).backward()
    optimizer.step()
    optimizer.zero_grad()


class Decomposed(torch.optim.SGD):
    """Every fifth of its steps does much more than the others, as SOAP's decomposition."""

    def __init__(self):
        super().__init__(parameters, lr=0.1)
        self.steps = 0

    @torch.no_grad()
    def step(self):
        super().step()
        self.steps += 1
        if self.steps % 5 == 0:
            torch.mm(*2 * [torch.ones(8192, 8192, device="cuda")]).sin()


class OneByOne(torch.optim.Optimizer):
    """Its kernels have a name that is known, and parameters repeat within the first step."""

    def __init__(self):
        super().__init__(parameters, {})
        self.state_of = [(torch.zeros_like(p), torch.zeros_like(p)) for p in parameters]
        self.steps = torch.zeros((), device="cuda")

    @torch.no_grad()
    def step(self):
        options = {"beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8}
        for parameter, (mean, square) in zip(parameters, self.state_of, strict=True):
            torch.ones(64, device="cuda").cos()
            lists = [parameter], [parameter.grad], [mean], [square], [], [self.steps]
            torch._fused_adam_(*lists, lr=0.1, amsgrad=False, maximize=False, **options)


def one_by_one():
    functional.cross_entropy(model(ids), ids % 8).backward()
    second.step()
    model.zero_grad(set_to_none=True)


def group_by_group():
    """One optimiser that steps for each group of parameters in turn, as DeepSpeed's ZeRO does."""
    functional.cross_entropy(model(ids), ids % 8).backward()
    whole = optimizer.param_groups[0]["params"]
    for part in (whole[::2], whole[1::2]):
        optimizer.param_groups[0]["params"] = part
        optimizer.step()
        torch.ones(64, device="cuda").cos()
    optimizer.param_groups[0]["params"] = whole
    optimizer.zero_grad()


class Momentum(torch.optim.Optimizer):
    """A second optimiser, whose momentum and window grow with every step."""

    def __init__(self):
        super().__init__([model[1].weight], {})
        self.past = torch.zeros_like(model[1].weight)
        self.steps = 0

    def step(self):
        self.steps += 1
        gradient = self.param_groups[0]["params"][0].grad
        self.past.lerp_(gradient, 1 / (100 + self.steps))
        gradient.lerp_(self.past, 1 - 1 / (100 + self.steps))
        torch.ones(64 * self.steps, device="cuda").cos()


def warm_up():
    """Two optimisers and steps of which no two are alike."""
    functional.cross_entropy(model(ids), ids % 8).backward()
    optimizer.step()
    second.step()
    model.zero_grad(set_to_none=True)


seconds = {"warm-up": Momentum, "one by one": OneByOne, "decomposed": Decomposed}
second = seconds[kind]() if kind in seconds else None


def gathered():
    """Gradients added up by operations on lists of tensors, as optimisers use them."""
    total = [torch.zeros_like(parameter) for parameter in parameters]
    for _ in range(MICRO_BATCHES):
        micro_batch()
        torch._foreach_add_(total, [parameter.grad for parameter in parameters])
        model.zero_grad(set_to_none=False)
    for parameter, gradient in zip(parameters, total, strict=True):
        parameter.grad = gradient
    optimizer.step()
    optimizer.zero_grad()


kinds = {
    "inference": infer,
    "own": own_optimizer,
    "gathered": gathered,
    "by turns": by_turns,
    "evaluated": evaluated,
    "logged": logged,
    "warm-up": warm_up,
    "one by one": one_by_one,
    "decomposed": one_by_one,
    "group by group": group_by_group,
    "many sizes": many_sizes,
    "many sizes, evaluated": many_sizes,
}
step = kinds[kind]
with torch.set_grad_enabled(kind != "inference"):
    for _ in range(600_000):
        step()
