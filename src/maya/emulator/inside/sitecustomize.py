"""Imported by Python at its start, because this directory stands first on PYTHONPATH."""

import importlib.util
import os
import sys
from importlib.machinery import PathFinder

_NO_TOOLKIT = (
    "maya: DeepSpeed compiles this optimiser when it is first used and asks a CUDA toolkit for it: "
    "install one here and set CUDA_HOME, or use torch's optimiser "
    '("zero_force_ds_cpu_optimizer": false)'
)
_LIGHTNING = (
    "lightning_fabric.strategies.launchers.subprocess_script",
    "lightning.fabric.strategies.launchers.subprocess_script",
    "pytorch_lightning.strategies.launchers.subprocess_script",
    "lightning.pytorch.strategies.launchers.subprocess_script",
)
_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_users_own() -> None:
    """Only one sitecustomize is imported, so the one that this hides must be run from here."""
    others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _tell_the_core() -> None:
    import ctypes

    failed = getattr(ctypes.CDLL(None), "maya_rank_failed", None)
    if failed is not None:
        failed()


def _tell_of_failure() -> None:
    """A rank that raises must be known to have failed before its peers see that it is gone."""
    show = sys.excepthook

    def hook(kind, error, trace):  # type: ignore[no-untyped-def]
        try:
            if issubclass(kind, Exception):
                _tell_the_core()
        finally:  # whatever else fails at this moment, the program's own error is shown
            show(kind, error, trace)
            if kind.__name__ == "MissingCUDAException":  # DeepSpeed's
                print(_NO_TOOLKIT, file=sys.stderr)

    sys.excepthook = hook


def _launcher() -> "list[str] | None":
    """The command of this process, if it is a launcher's."""
    words = sys.orig_argv[1:]
    while words and words[0].startswith("-") and words[0] != "-m":
        words = words[2 if words[0] in ("-X", "-W") else 1 :]
    module = words[:1] == ["-m"]
    called = words[1:] if module else [os.path.basename(words[0]), *words[1:]] if words else []
    for launcher in os.environ.get("MAYA_LAUNCHERS", "").split(","):
        own = launcher.split()
        if own and called[: len(own)] == own:
            return [sys.executable, *words] if module else words
    return None


def _hand_over() -> None:
    """A launcher's ranks are started by maya."""
    command = _launcher()
    if command is not None:
        from maya_inside import handing

        handing.hand_over(command)


def _activate() -> None:
    from maya_inside import descent

    descent.sign()
    if os.environ.get("MAYA_HAND_OVER"):
        _hand_over()
    if "RANK" in os.environ:
        _tell_of_failure()
    watched = ["torch.optim.optimizer", "torch._inductor.runtime.triton_heuristics"]
    watched += ["torch._inductor.utils", "triton.runtime.autotuner", "torch.cuda"]
    watched += ["torch.utils.data.dataloader", "torch.nn.init", "wandb"]
    watched += ["torch.nn.attention.flex_attention"]
    if os.environ.get("MAYA_OUTPUT_LENGTHS"):
        watched += ["transformers.generation.utils"]
    if os.environ.get("MAYA_HAND_OVER"):
        watched += ["torch.distributed.run", "torch.multiprocessing.spawn", *_LIGHTNING]
    if "maya_spawned" in sys._xoptions:
        watched += ["torch.multiprocessing.spawn"]
    if os.environ.get("MAYA_REPRESENTATIVES"):
        from maya_inside import hosts

        hosts.activate()
        watched += ["torch.distributed", "torch.distributed.checkpoint.default_planner"]
    from maya_inside import import_hook, jax_devices, profiler_ranges, saving, serving

    watched += [serving.SCHEDULER, jax_devices.HARDWARE, "jax"]
    import_hook.install([*watched, *profiler_ranges.MODULES, *saving.SAVERS])


if os.environ.get("MAYA_RUN_DIR"):
    _activate()
_run_the_users_own()
