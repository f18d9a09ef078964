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
_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_users_own() -> None:
    """Only one sitecustomize is imported, so the one that this hides must be run from here."""
    others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _tell_of_failure() -> None:
    """A rank that raises must be known to have failed before its peers see that it is gone."""
    show = sys.excepthook

    def hook(kind, error, trace):  # type: ignore[no-untyped-def]
        if issubclass(kind, Exception):
            import ctypes

            failed = getattr(ctypes.CDLL(None), "maya_rank_failed", None)
            if failed is not None:
                failed()
        show(kind, error, trace)
        if kind.__name__ == "MissingCUDAException":  # DeepSpeed's
            print(_NO_TOOLKIT, file=sys.stderr)

    sys.excepthook = hook


def _activate() -> None:
    if "RANK" in os.environ:
        _tell_of_failure()
    watched = ["torch.optim.optimizer", "torch._inductor.runtime.triton_heuristics"]
    watched.append("triton.runtime.autotuner")
    if os.environ.get("MAYA_MEMORY", "1") != "0":
        watched.append("torch.cuda")
    if os.environ.get("MAYA_REPRESENTATIVES"):
        from maya_inside import hosts

        hosts.activate()
        watched.append("torch.distributed")
    from maya_inside import import_hook

    import_hook.install(watched)


if os.environ.get("MAYA_RUN_DIR"):
    _activate()
_run_the_users_own()
