"""Fitted numbers that ship with the package; `python -m maya.calibrate` writes them."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from maya.hardware import Gpu

_DATA = files("maya.estimate").joinpath("data")


@dataclass(frozen=True, slots=True)
class DeviceParameters:
    """How far a device gets towards its data sheet in kernels bound by memory."""

    floor_ns: float = 2000.0  # an empty kernel, as a profiler shows it
    memory_efficiency: float = 0.85  # share of the data sheet's bandwidth
    cached_share: float = 0.35  # share of L2 that still holds what the previous kernel wrote
    cache_speedup: float = 2.5  # bandwidth of L2 over that of memory


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
    return DeviceParameters(**values)


def device_parameters(device: Gpu) -> DeviceParameters:
    """Fitted for this model, else for its architecture, else typical."""
    return _device_parameters(device.id, device.architecture)
