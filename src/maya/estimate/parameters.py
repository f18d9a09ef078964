"""Fitted numbers that ship with the package; `python -m workshop fit` writes them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from statistics import geometric_mean
from typing import Any

from maya.hardware import Gpu

_DATA = files("maya.estimate").joinpath("data")
# Tensor cores and caches of GeForce and RTX PRO Blackwell are of Ada's kind; none was measured.
_STANDS_IN = {"blackwell-rtx": "ada"}
MOST_EFFICIENCY = 0.94  # no benchmark of plain reads and writes gets more from HBM or GDDR


@dataclass(frozen=True, slots=True)
class DeviceParameters:
    """How far a device gets towards its data sheet in kernels bound by memory."""

    floor_ns: float = 2000.0  # an empty kernel, as a profiler shows it
    memory_efficiency: float = 0.88  # share of the data sheet's bandwidth
    cached_share: float = 0.6  # footprint over L2 at which half of the accesses still hit
    cache_speedup: float = 1.5  # bandwidth of L2 over that of memory
    block_ns: float = 3000.0  # a block that reduces a row: its start, reductions, barriers
    trip_ns: float = 600.0  # a trip to memory that the next one waits for
    # Instructions of threads that an SM gets through in a cycle where loads, integer arithmetic
    # and branches alternate: half of what its four schedulers could issue.
    issued_a_cycle: float = 64.0
    classes: Mapping[str, float] = field(default_factory=dict)  # time over that of plain streaming

    def slowdown(self, kind: str) -> float:
        """Of a class of kernels against plain streaming.

        Where rows that were measured fitted the cache, a class may seem faster than memory is.
        """
        return max(self.classes.get(kind, 1.0), self.memory_efficiency / MOST_EFFICIENCY)


TYPICAL = DeviceParameters()


def fitted_as(device: Gpu) -> str:
    """The architecture whose fits a GPU takes where it has none of its own."""
    return _STANDS_IN.get(device.architecture, device.architecture)


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
    named["classes"] = _classes(gpu_id, architecture)
    return DeviceParameters(**named)


def _classes(gpu_id: str, architecture: str) -> dict[str, float]:
    """Each class as measured on this GPU, else on one of its architecture, else on the others."""
    fitted = load("memory.json")
    found: dict[str, list[float]] = {}
    for values in fitted["gpus"].values():
        for kind, slowdown in values["classes"].items():
            found.setdefault(kind, []).append(slowdown)
    return {
        **{kind: geometric_mean(slowdowns) for kind, slowdowns in found.items()},
        **fitted["architectures"].get(architecture, {}).get("classes", {}),
        **fitted["gpus"].get(gpu_id, {}).get("classes", {}),
    }


def device_parameters(device: Gpu) -> DeviceParameters:
    """Fitted for this model, else for its architecture, else typical."""
    return _device_parameters(device.id, fitted_as(device))
