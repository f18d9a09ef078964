"""Reads the command lines of launchers: what each rank would run, and how many there would be."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from maya.emulate.launcher_options import DEEPSPEED, TORCHRUN, Parsed, parse_options
from maya.emulate.target import find_interpreter, find_program
from maya.errors import MayaError

_PYTHON = re.compile(r"python(\d+(\.\d+)?)?")


@dataclass(frozen=True, slots=True)
class Launch:
    """A launcher's command, understood."""

    launcher: str
    argv: tuple[str, ...]  # of every rank; LOCAL_RANK_WORD stands for its local rank
    per_node: int | None  # None: as many as a node has GPUs
    nodes: int | None  # None: as many as the cluster has
    port: int | None = None
    env: dict[str, str] = field(default_factory=dict)


LOCAL_RANK_WORD = "{local_rank}"


def read_launch(command: list[str], environment: Mapping[str, str] = os.environ) -> Launch | None:
    """What a launcher was told to start; None for a program that starts by itself."""
    name = Path(command[0]).name if command else ""
    rest = command[1:]
    is_python = _PYTHON.fullmatch(name) is not None
    if is_python:
        name, rest = _module(rest)
    read = _LAUNCHERS.get(name)
    if read is not None:
        return read(command[0] if is_python else _python_of(command), rest)
    return _plain(command, environment) if is_python else None


def _python_of(command: list[str]) -> str:
    return find_interpreter(find_program(command)) or sys.executable


def _module(words: list[str]) -> tuple[str, list[str]]:
    """`python -m NAME ...`, options of the interpreter before it left out."""
    for index, word in enumerate(words):
        if word == "-m" and index + 1 < len(words):
            return words[index + 1], words[index + 2 :]
        if not word.startswith("-"):
            break
    return "", []


def _torchrun(python: str, words: list[str]) -> Launch:
    parsed = parse_options(TORCHRUN, words)
    options = parsed.options
    nodes = 1 if "standalone" in options else None
    if "nnodes" in options:
        nodes = _count(options["nnodes"].rpartition(":")[2], "--nnodes")
    wanted = options.get("nproc-per-node", "1")
    per_node = None if wanted in ("gpu", "auto", "cuda") else _count(wanted, "--nproc-per-node")
    port = options.get("master-port") or options.get("rdzv-endpoint", "").rpartition(":")[2]
    return Launch(
        "torchrun", _argv(python, parsed), per_node, nodes, int(port) if port.isdigit() else None
    )


def _deepspeed(python: str, words: list[str]) -> Launch:
    parsed = parse_options(DEEPSPEED, words)
    options = parsed.options
    if "include" in options or "exclude" in options:
        raise MayaError(
            "deepspeed: --include and --exclude are not understood",
            hint="give --num_nodes and --num_gpus",
        )
    nodes = _count(options["num-nodes"], "--num_nodes") if "num-nodes" in options else None
    per_node = _count(options["num-gpus"], "--num_gpus") if "num-gpus" in options else None
    if "hostfile" in options and nodes is None:
        nodes, per_node = _hostfile(Path(options["hostfile"]), per_node)
    argv = _argv(python, parsed)
    if "no-local-rank" not in options:
        script = 3 if "module" in options else 1 if "no-python" in options else 2
        at = argv.index("-u") + script if "-u" in argv else script
        argv = (*argv[:at], f"--local_rank={LOCAL_RANK_WORD}", *argv[at:])
    port = options.get("master-port", "")
    return Launch("deepspeed", argv, per_node, nodes, int(port) if port.isdigit() else None)


def _hostfile(path: Path, per_node: int | None) -> tuple[int, int | None]:
    """Lines of `name slots=N`."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise MayaError(f"cannot read {path}: {error.strerror}", hint="check --hostfile") from error
    slots = [int(m.group(1)) for line in lines if (m := re.match(r"\s*\S+\s+slots=(\d+)", line))]
    if not slots or len(set(slots)) > 1:
        raise MayaError(f"{path} must give every host the same number of slots")
    return len(slots), per_node or slots[0]


def _plain(command: list[str], environment: Mapping[str, str]) -> Launch | None:
    """A program that finds its place in the environment."""
    world = environment.get("WORLD_SIZE", "")
    if not world.isdigit() or int(world) < 2:
        return None
    local = environment.get("LOCAL_WORLD_SIZE", "")
    per_node = int(local) if local.isdigit() else None
    if per_node and int(world) % per_node:
        raise MayaError(f"WORLD_SIZE {world} is not a multiple of LOCAL_WORLD_SIZE {per_node}")
    nodes = int(world) // per_node if per_node else None
    return Launch("python", tuple(command), per_node, nodes, env={"MAYA_WORLD": world})


def _argv(python: str, parsed: Parsed) -> tuple[str, ...]:
    if "no-python" in parsed.options:
        return (find_program(parsed.rest), *parsed.rest[1:])
    if "module" in parsed.options:
        return (python, "-u", "-m", *parsed.rest)
    return (python, "-u", *parsed.rest)


def _count(text: str, option: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise MayaError(f"{option} must be a positive number, not {text!r}")
    return int(text)


_LAUNCHERS = {
    "torchrun": _torchrun,
    "torch.distributed.run": _torchrun,
    "torch.distributed.launch": _torchrun,
    "deepspeed": _deepspeed,
    "deepspeed.launcher.runner": _deepspeed,
}
