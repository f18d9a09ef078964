"""`all` and `any` of one element each: PyTorch copies it, and no kernel tells what is asked.

The results of others are known by their reductions.
"""

from collections.abc import Callable
from typing import Any

from maya_inside.device_values import DeviceValues

_ANSWERS = {"all": True, "any": False}  # checks pass, nothing is at fault
_MOST = 16  # elements: the host decides by single ones


def replacements(torch: Any, values: DeviceValues, after: Any) -> "list[tuple[Any, Any]]":
    """Operators, each with what the dispatcher shall call."""
    found = []
    for name, answer in _ANSWERS.items():
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            operator = getattr(packet, overload)
            if not operator._schema.is_mutable:
                found.append((operator, _told(operator, values, after, answer)))
    return found


def _told(operator: Any, values: DeviceValues, after: Any, answer: bool) -> Callable[..., Any]:
    redispatch = operator.redispatch

    def call(keyset: Any, tensor: Any, *arguments: Any, **options: Any) -> Any:
        result = redispatch(keyset & after, tensor, *arguments, **options)
        if result.is_cuda and 0 < result.numel() <= _MOST and tensor.numel() == result.numel():
            values.assume_condition(result, answer)
        return result

    return call
