"""Names of operators, and tensors for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operator:
    """A function and what it is called with; gradients flow to inputs that ask for them."""

    run: Callable[..., Any]
    inputs: tuple[Tensor, ...]
    given: tuple[Tensor, ...] = ()  # tensors like the results' gradients, where those are others
    asked: tuple[Tensor, ...] = ()  # whose gradients are returned instead of kept
    summed: bool = False  # gradients come from the sum of the result
    drawn: bool = False  # gradients are drawn again in each pass


Builder = Callable[[Parameters], Operator]
_BUILDERS: dict[str, Builder] = {}


def operator(build: Builder) -> Builder:
    """Make a builder known by its own name."""
    _BUILDERS[build.__name__] = build
    return build


def elementwise(name: str, run: Callable[[Tensor], Tensor]) -> None:
    """Make a function of one tensor known."""
    _BUILDERS[name] = lambda sizes: Operator(run, (numbers(sizes, *sizes["shape"]),))


def find_operator(name: str) -> Builder:
    """By the name that a case gives."""
    return _BUILDERS[name]


def numbers(sizes: Parameters, *shape: int, gradient: bool = True) -> Tensor:
    """A tensor of the type that the parameters name, fp32 where they name none."""
    dtype = getattr(torch, sizes.get("dtype", "float32"))
    wanted = gradient and dtype.is_floating_point and bool(sizes.get("gradient", False))
    return torch.empty(shape, dtype=dtype, device="cuda").requires_grad_(wanted)


def indices(bound: int, *shape: int) -> Tensor:
    """Random places below a bound."""
    return torch.randint(bound, shape, device="cuda")
