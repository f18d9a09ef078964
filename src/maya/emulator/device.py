"""Tells the native core which GPU it is."""

from pathlib import Path

from maya.hardware import Gpu, device_file_text
from maya.rundir import names


def write_device_file(directory: Path, gpu: Gpu) -> Path:
    """The GPU as the core reads it."""
    path = directory / names.DEVICE
    path.write_text(device_file_text(gpu), encoding="utf-8")
    return path
