"""What `accelerate launch` would start: its options, its configuration file and the variables that
it sets for its ranks are its own business, so it is asked, in the program's own interpreter."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.emulate.device import write_device_file
from maya.emulate.environment import child_environment
from maya.emulate.native import preload
from maya.emulate.target import find_torch, require_cuda_torch
from maya.errors import MayaError
from maya.hardware import Gpu, find_gpu

_ASK = Path(__file__).resolve().parent / "inside/ask_accelerate.py"
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class Node:
    """The GPUs that a launcher finds where it is started."""

    gpu: Gpu
    gpus: int


DEFAULT_NODE = Node(find_gpu("h100"), 1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What accelerate would start; without `ranks` it is one process that is no rank."""

    ranks: bool
    processes: int
    machines: int
    port: int | None
    module: bool
    no_python: bool
    script: list[str]
    env: dict[str, str]


def ask_accelerate(
    python: str, words: list[str], environment: Mapping[str, str], node: Node
) -> Answer:
    """Let accelerate read its command line up to where it would start processes."""
    torch = find_torch(python)
    require_cuda_torch(torch, python)
    assert torch is not None
    with tempfile.TemporaryDirectory(prefix="maya-ask-") as name:
        directory = Path(name)
        device_file = write_device_file(directory, node.gpu)
        env = child_environment(
            environment,
            preload=preload(torch.cuda_major or 12),
            run_dir=directory,
            device_file=device_file,
            gpus=node.gpus,
            steps=0,
            max_seconds=_PATIENCE_S,
            strict=False,
            record=False,
        )
        # What accelerate changes is compared with this: nothing of ours may be in it.
        env["PYTHONPATH"] = environment.get("PYTHONPATH", "")
        return _ask([python, str(_ASK), str(directory / "answer"), *words], env, directory)


def _ask(command: list[str], env: dict[str, str], directory: Path) -> Answer:
    try:
        asked = subprocess.run(
            command, env=env, check=False, capture_output=True, text=True, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired as error:
        raise MayaError("accelerate does not answer", hint="try the command by itself") from error
    answer = directory / "answer"
    if not answer.exists():
        lines = asked.stderr.strip().splitlines() or ["it printed nothing"]
        raise MayaError(
            f"accelerate launch does not take this command: {lines[-1]}",
            hint="see `accelerate launch --help`, and its configuration file",
        )
    read: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    return Answer(**read)
