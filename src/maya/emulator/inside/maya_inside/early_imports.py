"""Imports for runs to come, while the emulated device must stay asleep."""

import contextlib
import ctypes
import importlib
import os
import types
from typing import Any


def import_all(names: "list[str]") -> None:
    """What cannot be imported here, or is the script's own, is left to the forked process."""
    with _no_device_asked():
        for name in names:
            with contextlib.suppress(Exception):
                importlib.import_module(name)


@contextlib.contextmanager
def _no_device_asked():  # type: ignore[no-untyped-def]
    """Packages ask torch for GPUs while they are imported. The emulated device must not wake up
    before the fork, so the questions are answered for it: as many as there will be, of that kind.
    """
    try:
        import torch
    except ImportError:
        yield
        return
    answers = _device_answers()
    saved = {name: getattr(torch.cuda, name) for name in answers}
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    try:
        yield
    finally:
        for name, function in saved.items():
            setattr(torch.cuda, name, function)


def _device_answers() -> "dict[str, Any]":
    """By the names of torch.cuda, from the file that describes the emulated GPU."""
    with open(os.environ["MAYA_DEVICE_FILE"], encoding="utf-8") as file:
        facts = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
    properties = types.SimpleNamespace(
        name=facts["name"],
        major=int(facts["major"]),
        minor=int(facts["minor"]),
        total_memory=int(facts["total_memory"]),
        multi_processor_count=int(facts["sm_count"]),
    )
    count = int(os.environ.get("MAYA_GPU_COUNT", "1"))
    return {
        "is_available": lambda: True,
        "device_count": lambda: count,
        "get_device_name": lambda device=None: properties.name,
        "get_device_capability": lambda device=None: (properties.major, properties.minor),
        "get_device_properties": lambda device=None: properties,
    }


def device_is_awake() -> bool:
    """Whether something has asked the emulated device: forks could not use it any more."""
    awake = getattr(ctypes.CDLL(None), "maya_device_is_awake", None)
    return awake is not None and bool(awake())
