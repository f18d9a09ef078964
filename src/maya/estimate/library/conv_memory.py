"""How fast convolutions move their tensors."""

from dataclasses import replace
from typing import Any

from maya.estimate.cost import stream_ns
from maya.estimate.parameters import TYPICAL, device_parameters
from maya.hardware import Gpu


def conv_stream_ns(size: Any, device: Gpu) -> Any:
    """Convolutions come nearer to the bandwidth of GDDR than elementwise kernels do: published
    1 x 1 convolutions on L4 and L40S reach what is typical, not the share that was fitted there."""
    fitted = device_parameters(device)
    share = max(fitted.memory_efficiency, TYPICAL.memory_efficiency)
    return stream_ns(size, device, replace(fitted, memory_efficiency=share))
