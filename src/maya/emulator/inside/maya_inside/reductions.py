"""Reductions over values of launched ranks, each counted as often as it stands for a member."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Fold = Callable[[Any, Any, int], Any]  # total, value, how often


def _times(value: Any, often: int) -> Any:
    return value * often


def combine(torch: Any, op: Any, values: "dict[int, Any]", voices: Sequence[int]) -> Any:
    """Reduce tensors given by rank; `voices` names the giver of each member."""
    kinds = torch.distributed.ReduceOp
    counts = Counter(voices)
    givers = sorted(counts)
    name = str(op).rsplit(".", 1)[-1].upper()
    # `in` would ask the constant, which does not know the operation that options hold.
    if any(op == kind for kind in (kinds.SUM, kinds.AVG)) or "PREMUL" in name:
        total = sum(
            (_times(values[rank], counts[rank]) for rank in givers[1:]),
            start=_times(values[givers[0]], counts[givers[0]]),
        )
        return total / len(voices) if op == kinds.AVG else total
    folds: list[tuple[Any, Fold]] = [
        (kinds.PRODUCT, lambda total, value, often: total * value**often),
        (kinds.MIN, lambda total, value, often: torch.minimum(total, value)),
        (kinds.MAX, lambda total, value, often: torch.maximum(total, value)),
        (kinds.BAND, lambda total, value, often: total & value),
        (kinds.BOR, lambda total, value, often: total | value),
        (kinds.BXOR, lambda total, value, often: total ^ value if often % 2 else total),
    ]
    fold = next(found for kind, found in folds if op == kind)
    first = givers[0]
    total = values[first]
    total = fold(total, total, counts[first] - 1) if counts[first] > 1 else total
    for rank in givers[1:]:
        total = fold(total, values[rank], counts[rank])
    return total
