"""GradScaler where gradients are unknown: none of them overflows, and the scale goes on as if so.

What is answered stays an assumption, and the lines that read it are recorded.
"""

from collections.abc import Callable
from typing import Any

from maya_inside.device_values import DeviceValues

_ANY, _SCALE = 1, 5  # the core's meanings


def replacements(torch: Any, values: DeviceValues, after: Any) -> "list[tuple[Any, Any]]":
    """Operators, each with what the dispatcher shall call."""
    names = torch.ops.aten
    check = names._amp_foreach_non_finite_check_and_unscale_.default
    update = names._amp_update_scale_.default
    return [(check, _checked(check, values, after)), (update, _updated(update, values, after))]


def _checked(operator: Any, values: DeviceValues, after: Any) -> Callable[..., Any]:
    redispatch = operator.redispatch

    def call(keyset: Any, gradients: Any, overflow: Any, scale: Any) -> Any:
        found = values.likely(overflow) if overflow.is_cuda else None
        result = redispatch(keyset & after, gradients, overflow, scale)
        if found is not None:
            values.assume(overflow, found, _ANY)
        return result

    return call


def _updated(operator: Any, values: DeviceValues, after: Any) -> Callable[..., Any]:
    redispatch = operator.redispatch

    def call(keyset: Any, scale: Any, tracker: Any, overflow: Any, *factors: Any) -> Any:
        three = (scale, tracker, overflow)
        numbers: list[Any] = [values.likely(one) if one.is_cuda else None for one in three]
        result = redispatch(keyset & after, scale, tracker, overflow, *factors)
        if all(number is not None for number in numbers):
            _update(*numbers, *factors)
            values.assume(scale, numbers[0], _SCALE)
            values.assume(tracker, numbers[1], _SCALE)
        return result

    return call


def _update(
    scale: Any, tracker: Any, overflow: Any, growth: float, backoff: float, interval: int
) -> None:
    """As PyTorch's kernel does."""
    steps = 0 if overflow.item() else tracker.item() + 1
    if overflow.item():
        scale.mul_(backoff)
    elif steps == interval:
        scale.mul_(growth)
    tracker.fill_(steps % interval)
