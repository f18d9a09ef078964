"""XLA takes three quarters of a device at once; its pool knows how much of that was needed."""

import atexit
import os
import sys
from types import ModuleType
from typing import Any

from maya_inside import run_files


def activate(_: ModuleType) -> None:
    """Called once the whole of jax has been imported: what is registered later is called sooner."""
    atexit.register(_tell)


def _tell() -> None:
    """Of the device that was used most."""
    needed = [stats for stats in _statistics() if "peak_bytes_in_use" in stats]
    if not needed or "MAYA_RUN_DIR" not in os.environ:
        return
    most = max(needed, key=lambda stats: stats["peak_bytes_in_use"])
    peak = most["peak_bytes_in_use"]
    described = {
        "version": 1,
        "peak_allocated_bytes": peak,
        "peak_reserved_bytes": peak,
        "pool_bytes": max(peak, most.get("pool_bytes", 0)),
        "peak_phase": "",
    }
    run_files.leave(run_files.ALLOCATOR_SUFFIX, described)


def _statistics() -> "list[dict[str, int]]":
    bridge: Any = sys.modules.get("jax._src.xla_bridge")
    clients = getattr(bridge, "_backends", None) or {}  # those in use: asking must make none
    devices = [device for client in clients.values() for device in client.local_devices()]
    return [device.memory_stats() or {} for device in devices if device.platform == "gpu"]
