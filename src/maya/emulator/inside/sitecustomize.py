"""Imported by Python at its start, because this directory stands first on PYTHONPATH."""

import atexit
import importlib.util
import os
import sys
from importlib.machinery import PathFinder

_NO_TOOLKIT = (
    "maya: DeepSpeed compiles this optimiser when it is first used and asks a CUDA toolkit for it: "
    "install one here and set CUDA_HOME, or use torch's optimiser "
    '("zero_force_ds_cpu_optimizer": false)'
)
# In these a script starts its ranks itself, and in a rank of ours does that rank's share.
_STARTS_RANKS = ["torch.multiprocessing.spawn", "ray.train.v2.api.data_parallel_trainer"]
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


class _Failure:
    """A rank that raises must be known to have failed before its peers see that it is gone."""

    def __init__(self) -> None:
        self._show = sys.excepthook
        self._is_told = False
        sys.excepthook = self._shown
        atexit.register(self._at_exit)

    def _shown(self, kind, error, trace):  # type: ignore[no-untyped-def]
        try:
            self._tell(kind)
        finally:  # whatever else fails at this moment, the program's own error is shown
            self._show(kind, error, trace)
            _explain(kind)

    def _at_exit(self) -> None:
        """Programs may replace the hook: Python keeps the type of what ended them."""
        kind = getattr(sys, "last_type", None)
        if kind is not None and not self._is_told:
            self._tell(kind)
            _explain(kind)

    def _tell(self, kind: type) -> None:
        self._is_told = True
        if issubclass(kind, Exception):
            _tell_the_core()


def _explain(kind: type) -> None:
    if kind.__name__ == "MissingCUDAException":  # DeepSpeed's
        print(_NO_TOOLKIT, file=sys.stderr)


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
    if "RANK" in os.environ:  # first: whatever fails below, a failure is told
        _Failure()
    from maya_inside import descent

    descent.sign()
    if os.environ.get("MAYA_HAND_OVER"):
        _hand_over()
    watched = ["torch.optim.optimizer", "torch._inductor.runtime.triton_heuristics"]
    watched += ["torch._inductor.utils", "triton.runtime.autotuner", "torch.cuda"]
    watched += ["torch.utils.data.dataloader", "torch.nn.init", "wandb"]
    watched += ["torch.nn.attention.flex_attention"]
    watched += ["multiprocessing.popen_fork", "multiprocessing.popen_forkserver"]
    if os.environ.get("MAYA_OUTPUT_LENGTHS"):
        watched += ["transformers.generation.utils"]
    if os.environ.get("MAYA_HAND_OVER"):
        watched += ["torch.distributed.run", *_STARTS_RANKS, *_LIGHTNING]
    if "maya_spawned" in sys._xoptions:
        watched += _STARTS_RANKS
    if os.environ.get("MAYA_REPRESENTATIVES"):
        from maya_inside import hosts

        hosts.activate()
        watched += ["torch.distributed", "torch.distributed.checkpoint.default_planner"]
    from maya_inside import import_hook, jax_devices, profiler_ranges, saving, serving, stacks

    stacks.activate()
    watched += [serving.SCHEDULER, jax_devices.HARDWARE, "jax"]
    import_hook.install([*watched, *profiler_ranges.MODULES, *saving.SAVERS])


if os.environ.get("MAYA_RUN_DIR"):
    _activate()
_run_the_users_own()
