"""Experiment trackers whose service cannot live on the layer over the user's files are disabled.

wandb's is a static program that writes files by itself: it would be ended at the first one, and the
user's script with it. A mode that the script gives outdoes WANDB_MODE, so that is not enough.
"""

import ctypes
import os
from functools import wraps
from types import ModuleType
from typing import Any

_NOTE = "wandb is disabled: its service is a static program, which may change no files here"


def activate(module: ModuleType) -> None:
    """Called once wandb has been imported."""
    real = getattr(module, "init", None)
    if not callable(real):
        return

    @wraps(real)
    def init(*arguments: Any, **options: Any) -> Any:
        if "MAYA_FILES" not in os.environ:  # --allow-writes: as on the cluster
            return real(*arguments, **options)
        if options.get("mode") not in (None, "disabled"):
            _tell()
        return real(*arguments, **options | {"mode": "disabled"})

    module.init = init  # type: ignore[attr-defined]


def _tell() -> None:
    core = ctypes.CDLL(None)
    if hasattr(core, "maya_inform"):
        core.maya_inform(ctypes.c_char_p(_NOTE.encode()))
