"""What `accelerate launch` would start: its options, its configuration file and the variables that
it sets for its ranks are its own business, so it is asked, in the program's own interpreter."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.emulator.device import write_device_file
from maya.emulator.environment import child_environment
from maya.emulator.launchers.launch import Launch, Launcher, LauncherCall, LaunchNode
from maya.emulator.launchers.options import Parsed
from maya.emulator.launchers.script import script_argv
from maya.emulator.native import preload
from maya.emulator.target import find_torch, require_cuda_torch
from maya.errors import MayaError

_ASK = Path(__file__).resolve().parents[1] / "inside/ask_accelerate.py"
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class AccelerateAnswer:
    """What accelerate would start; without `ranks` it is one process that is no rank."""

    ranks: bool
    processes: int
    machines: int
    port: int | None
    module: bool
    no_python: bool
    script: list[str]
    env: dict[str, str]


def _ask_accelerate(
    python: str, words: list[str], environment: Mapping[str, str], node: LaunchNode
) -> AccelerateAnswer:
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
        return _answer([python, str(_ASK), str(directory / "answer"), *words], env, directory)


def _answer(command: list[str], env: dict[str, str], directory: Path) -> AccelerateAnswer:
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
    return AccelerateAnswer(**read)


def _read(call: LauncherCall) -> Launch | None:
    answer = _ask_accelerate(call.python, call.words, call.environment, call.node)
    if not answer.ranks:
        return None
    per_node, rest = divmod(answer.processes, answer.machines)
    if rest or not per_node:
        raise MayaError(
            f"accelerate: {answer.processes} processes cannot be shared out equally among"
            f" {answer.machines} machines",
            hint="--num_processes counts those of all machines",
        )
    flags = {"module": answer.module, "no-python": answer.no_python}
    parsed = Parsed({name: "1" for name, given in flags.items() if given}, answer.script)
    argv = script_argv(call.python, parsed)
    return Launch("accelerate", argv, per_node, answer.machines, answer.port, answer.env)


ACCELERATE = Launcher(
    (
        "accelerate launch",
        "accelerate-launch",
        "accelerate.commands.launch",
        "accelerate.commands.accelerate_cli launch",
    ),
    _read,
)
