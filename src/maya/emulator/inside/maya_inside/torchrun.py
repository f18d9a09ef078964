"""Programs that call torchrun from Python (`tune run`): their ranks are handed over."""

import sys
from types import ModuleType
from typing import Any

from maya_inside.handing import hand_over


def activate(module: ModuleType) -> None:
    """Stand in for torch.distributed.run.run, which would start the ranks."""
    module.run = _run  # type: ignore[attr-defined]


def _run(args: Any) -> None:
    options = [
        f"--nproc-per-node={args.nproc_per_node}",
        f"--nnodes={args.nnodes}",
        *(["--standalone"] if args.standalone else []),
        *(["--module"] if args.module else []),
        *(["--no-python"] if args.no_python else []),
    ]
    script = [args.training_script, *args.training_script_args]
    hand_over([sys.executable, "-m", "torch.distributed.run", *options, *script])
