"""The catalogue of GPUs."""

from maya.hardware.catalogue import find_gpu, list_gpus
from maya.hardware.device_file import device_file_text
from maya.hardware.model import Gpu

__all__ = ["Gpu", "device_file_text", "find_gpu", "list_gpus"]
