"""Tells the core where the program saves: that time is no part of a training step."""

import ctypes
from functools import wraps
from types import ModuleType
from typing import Any

# What writes checkpoints, by module. Outer functions stand for all that they do: gathering shards,
# copying to the host, pruning old checkpoints.
SAVERS = {
    "torch.serialization": ("save",),
    "torch.distributed.checkpoint.state_dict_saver": ("save", "async_save", "save_state_dict"),
    "safetensors.torch": ("save_file", "save_model"),
    "accelerate.accelerator": ("Accelerator.save_state", "Accelerator.save_model"),
    "deepspeed.runtime.engine": (
        "DeepSpeedEngine.save_checkpoint",
        "DeepSpeedEngine.save_16bit_model",
    ),
    "lightning.pytorch.trainer.trainer": ("Trainer.save_checkpoint",),
    "pytorch_lightning.trainer.trainer": ("Trainer.save_checkpoint",),
    "transformers.modeling_utils": ("PreTrainedModel.save_pretrained",),
    "transformers.trainer": ("Trainer._save_checkpoint", "Trainer.save_model"),
    "torchtitan.components.checkpoint": ("CheckpointManager.save",),
}


def activate(module: ModuleType) -> None:
    """Called once such a module has been imported."""
    core = ctypes.CDLL(None)
    if not hasattr(core, "maya_saving_began"):
        return  # a child that was started without the emulated libraries
    for path in SAVERS[module.__name__]:
        *owners, name = path.split(".")
        owner: Any = module
        for part in owners:
            owner = getattr(owner, part, None)
        function = getattr(owner, name, None)
        if callable(function):
            setattr(owner, name, _told(function, core))


def _told(save: Any, core: ctypes.CDLL) -> Any:
    @wraps(save)
    def saved(*arguments: Any, **options: Any) -> Any:
        core.maya_saving_began()
        try:
            return save(*arguments, **options)
        finally:
            core.maya_saving_ended()

    return saved
