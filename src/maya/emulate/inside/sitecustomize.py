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


_LAUNCHERS = {
    "torchrun",
    "accelerate",
    "accelerate-launch",
    "deepspeed",
    "torch.distributed.run",
    "torch.distributed.launch",
    "accelerate.commands.launch",
    "deepspeed.launcher.runner",
}


def _launcher() -> "list[str] | None":
    """The command of this process, if it is a launcher's."""
    words = sys.orig_argv[1:]
    while words and words[0].startswith("-") and words[0] != "-m":
        words = words[2 if words[0] in ("-X", "-W") else 1 :]
    if words[:1] == ["-m"]:
        return [sys.executable, *words] if words[1:2] and words[1] in _LAUNCHERS else None
    name = os.path.basename(words[0]) if words else ""
    if name == "accelerate" and words[1:2] != ["launch"]:
        return None
    return words if name in _LAUNCHERS else None


def _hand_over(path: str) -> None:
    """A launcher's ranks are started by maya, which ends this process once it knows of it."""
    command = _launcher()
    if command is None:
        return
    import json
    import time

    own = f"{path}.{os.getpid()}"
    with open(own, "w", encoding="utf-8") as file:
        json.dump(
            {"command": command, "environment": dict(os.environ), "directory": os.getcwd()}, file
        )
    os.rename(own, path)
    time.sleep(60)
    sys.exit("maya: nobody took over from this launcher")


def _activate() -> None:
    if os.environ.get("MAYA_HAND_OVER"):
        _hand_over(os.environ["MAYA_HAND_OVER"])
    if "RANK" in os.environ:
        _tell_of_failure()
    watched = ["torch.optim.optimizer", "torch._inductor.runtime.triton_heuristics"]
    watched.append("triton.runtime.autotuner")
    if os.environ.get("MAYA_MEMORY", "1") != "0":
        watched.append("torch.cuda")
    if os.environ.get("MAYA_REPRESENTATIVES"):
        from maya_inside import hosts

        hosts.activate()
        watched += ["torch.distributed", "torch.distributed.checkpoint.default_planner"]
    from maya_inside import import_hook

    import_hook.install(watched)


if os.environ.get("MAYA_RUN_DIR"):
    _activate()
_run_the_users_own()
