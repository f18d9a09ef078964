"""Fitted numbers that ship with the package; `python -m maya.calibrate` writes them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from maya.hardware import Gpu

_DATA = files("maya.estimate").joinpath("data")


# Geometric means over the fitted GPUs.
_CLASSES = {"layer_norm": 1.1, "softmax_warp": 1.15, "softmax_block": 1.1}


@dataclass(frozen=True, slots=True)
class DeviceParameters:
    """How far a device gets towards its data sheet in kernels bound by memory."""

    floor_ns: float = 2000.0  # an empty kernel, as a profiler shows it
    memory_efficiency: float = 0.88  # share of the data sheet's bandwidth
    cached_share: float = 0.6  # footprint over L2 at which half of the accesses still hit
    cache_speedup: float = 1.5  # bandwidth of L2 over that of memory
    row_ns: float = 450.0  # a row of a row-wise kernel, on one SM: reductions, barriers
    classes: Mapping[str, float] = field(default_factory=dict)  # time over that of plain streaming

    def slowdown(self, kind: str) -> float:
        """Of a class of kernels against plain streaming."""
        return self.classes.get(kind, _CLASSES.get(kind, 1.0))


@cache
def load(name: str) -> dict[str, Any]:
    """One JSON file of fitted parameters."""
    loaded: dict[str, Any] = json.loads(_DATA.joinpath(name).read_text("utf-8"))
    return loaded


@cache
def load_bytes(name: str) -> bytes | None:
    """One binary file of fitted parameters, or None where the GPU has none."""
    file = _DATA.joinpath(name)
    return file.read_bytes() if file.is_file() else None


@cache
def _device_parameters(gpu_id: str, architecture: str) -> DeviceParameters:
    fitted = load("memory.json")
    values = fitted["gpus"].get(gpu_id) or fitted["architectures"].get(architecture) or {}
    named = {name: value for name, value in values.items() if name != "harness_ns"}
    return DeviceParameters(**named)


def device_parameters(device: Gpu) -> DeviceParameters:
    """Fitted for this model, else for its architecture, else typical."""
    return _device_parameters(device.id, device.architecture)
