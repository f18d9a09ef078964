"""Calls us once a module of torch or Triton has been imported, before anybody could use it."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from maya_inside import jax_devices, profiler_ranges, serving
from maya_inside.saving import SAVERS

_LIGHTNING = "strategies.launchers.subprocess_script"
_ANSWERS: "dict[str, tuple[str, ...]]" = {  # modules of ours
    "torch.cuda": ("memory", "operators", "places", "feeds"),
    "torch.distributed": ("distributed",),
    "torch.distributed.checkpoint.default_planner": ("checkpoints",),
    "torch.distributed.run": ("torchrun",),
    "torch.multiprocessing.spawn": ("spawned",),
    "ray.train.v2.api.data_parallel_trainer": ("ray_train",),
    f"lightning_fabric.{_LIGHTNING}": ("lightning",),
    f"lightning.fabric.{_LIGHTNING}": ("lightning",),
    f"pytorch_lightning.{_LIGHTNING}": ("lightning",),
    f"lightning.pytorch.{_LIGHTNING}": ("lightning",),
    "torch.optim.optimizer": ("optimizers",),
    "wandb": ("trackers",),
    "multiprocessing.popen_fork": ("killed_children",),
    "multiprocessing.popen_forkserver": ("killed_children",),
    "torch.utils.data.dataloader": ("loaders",),
    "torch.nn.init": ("initial_weights",),
    "torch.nn.attention.flex_attention": ("masks",),
    "torch._inductor.utils": ("compiled_places",),
    "torch._inductor.runtime.triton_heuristics": ("inductor",),
    "triton.runtime.autotuner": ("autotune",),
    "transformers.generation.utils": ("output_lengths",),
    jax_devices.HARDWARE: ("jax_devices",),
    "jax": ("jax_memory",),
    serving.SCHEDULER: ("serving",),
    **dict.fromkeys(profiler_ranges.MODULES, ("profiler_ranges",)),
    **dict.fromkeys(SAVERS, ("saving",)),
}


class _Loader(Loader):
    def __init__(self, real: Any) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._real.exec_module(module)
        for answer in _ANSWERS[module.__name__]:
            import_module(f"maya_inside.{answer}").activate(module)

    def __getattr__(self, name: str) -> Any:  # resources, source lines
        return getattr(self._real, name)


class _Finder(MetaPathFinder):
    def __init__(self, watched: Sequence[str]) -> None:
        self._watched = watched

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in self._watched:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader)
                return spec
        return None


def install(watched: Sequence[str]) -> None:
    """Watch imports of these from now on."""
    sys.meta_path.insert(0, _Finder(watched))
