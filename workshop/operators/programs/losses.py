"""Losses: elementwise work, then a mean."""

import torch
from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import Operator, Parameters, indices, numbers, operator


def _two(sizes: Parameters, second: bool = False) -> tuple[Tensor, Tensor]:
    shape = sizes["shape"]
    return numbers(sizes, *shape), numbers(sizes, *shape, gradient=second)


def _distributions(sizes: Parameters, logarithms: bool) -> tuple[Tensor, Tensor]:
    """The first comes out of a softmax, through which gradients flow on."""
    made = torch.log_softmax if logarithms else torch.softmax
    first, second = _two(sizes)
    with torch.enable_grad():
        return made(first, dim=-1), second


@operator
def squared_error(sizes: Parameters) -> Operator:
    """Mean of squares."""
    return Operator(lambda x, y: torch.mean((x - y) ** 2), _two(sizes))


@operator
def cross_entropy(sizes: Parameters) -> Operator:
    """Rows of logits against a class each."""
    rows, classes = sizes["shape"]
    return Operator(
        functional.cross_entropy, (numbers(sizes, rows, classes), indices(classes, rows))
    )


@operator
def cosine_loss(sizes: Parameters) -> Operator:
    """One minus the cosine of the angle between rows."""
    return Operator(
        lambda x, y: torch.mean(1 - functional.cosine_similarity(x, y, dim=1)), _two(sizes)
    )


@operator
def triplet_loss(sizes: Parameters) -> Operator:
    """Distance to a positive against that to a negative."""
    shape = sizes["shape"]
    inputs = tuple(numbers(sizes, *shape) for _ in range(3))
    return Operator(lambda a, p, n: functional.triplet_margin_loss(a, p, n, margin=1.0), inputs)


@operator
def hinge_loss(sizes: Parameters) -> Operator:
    """One target for each row, or for each column where rows are wide."""
    rows, columns = sizes["shape"]
    target = numbers(sizes, rows) if columns > 1 else numbers(sizes, rows, 1)
    return Operator(
        lambda x, y: torch.mean(torch.clamp(1 - x * y, min=0)),
        (numbers(sizes, rows, columns), target),
    )


@operator
def kl_divergence(sizes: Parameters) -> Operator:
    """Mean over rows."""
    return Operator(
        lambda x, y: functional.kl_div(x, y, reduction="batchmean"), _distributions(sizes, True)
    )


@operator
def jensen_shannon(sizes: Parameters) -> Operator:
    """Both distributions as logarithms against their middle."""

    def run(x: Tensor, y: Tensor) -> Tensor:
        middle = torch.lerp(torch.exp(x), torch.exp(y), 0.5)
        far = functional.kl_div(torch.log(middle), y, reduction="none", log_target=True).sum(-1)
        near = functional.kl_div(torch.log(middle), x, reduction="none", log_target=True).sum(-1)
        return ((0.5 * far + 0.5 * near) / x.shape[0]).sum()

    return Operator(run, _distributions(sizes, True))


@operator
def total_variation(sizes: Parameters) -> Operator:
    """Half of the absolute difference, mean over rows."""
    return Operator(
        lambda x, y: torch.sum(0.5 * torch.abs(x - y)) / x.shape[0], _distributions(sizes, False)
    )
