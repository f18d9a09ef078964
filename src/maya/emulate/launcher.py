"""Reads the command lines of launchers: what each rank would run, and how many there would be."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

from maya.emulate.accelerate import DEFAULT_NODE, Node, ask_accelerate
from maya.emulate.deepspeed_hosts import active_slots, read_hostfile
from maya.emulate.launcher_options import (
    DEEPSPEED,
    LAUNCH,
    TORCHRUN,
    Parsed,
    options_from_environment,
    parse_options,
)
from maya.emulate.target import OPTIONS_WITH_VALUE, find_interpreter, find_program
from maya.errors import MayaError

_PYTHON = re.compile(r"python(\d+(\.\d+)?)?")
_LAUNCH = "torch.distributed.launch"  # torchrun's forerunner
_TORCHRUN = ("torchrun", "torch.distributed.run", _LAUNCH)
_DEEPSPEED = ("deepspeed", "deepspeed.launcher.runner")
_ACCELERATE = ("accelerate-launch", "accelerate.commands.launch")


@dataclass(frozen=True, slots=True)
class Launch:
    """A launcher's command, understood."""

    launcher: str
    argv: tuple[str, ...]  # of every rank; LOCAL_RANK_WORD stands for its local rank
    per_node: int | None  # None: as many as a node has GPUs
    nodes: int | None  # None: as many as the cluster has
    port: int | None = None
    env: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)  # variables of a rank that options change


LOCAL_RANK_WORD = "{local_rank}"


def read_launch(
    command: list[str],
    environment: Mapping[str, str] = os.environ,
    node: Node = DEFAULT_NODE,
) -> Launch | None:
    """What a launcher was told to start; None for a program that starts by itself.

    `node`: the GPUs that the launcher would find on its machine.
    """
    given, command = _without_env(command)
    launch = _read(command, {**environment, **given}, node)
    return replace(launch, env=given | launch.env) if launch else None


def _read(command: list[str], environment: Mapping[str, str], node: Node) -> Launch | None:
    name = Path(command[0]).name if command else ""
    rest = command[1:]
    if is_python(command):
        name, rest = _module(rest)
    if name in ("accelerate", "accelerate.commands.accelerate_cli") and rest[:1] == ["launch"]:
        name, rest = "accelerate-launch", rest[1:]
    if name in (*_TORCHRUN, *_DEEPSPEED, *_ACCELERATE):
        python = command[0] if is_python(command) else _python_of(command)
        if name in _ACCELERATE:
            return _accelerate(python, rest, environment, node)
        if name in _TORCHRUN:
            return _torchrun(python, name, rest, environment)
        return _deepspeed(python, rest, node)
    return _plain(command, environment) if is_python(command) else None


def _without_env(command: list[str]) -> tuple[dict[str, str], list[str]]:
    """`env NAME=VALUE... COMMAND` is COMMAND with these variables; with options it is not read."""
    if not command or Path(command[0]).name != "env":
        return {}, command
    words = list(takewhile(lambda word: "=" in word and word[0] != "-", command[1:]))
    rest = command[1 + len(words) :]
    if not rest or rest[0].startswith("-"):
        return {}, command
    return dict(word.split("=", 1) for word in words), rest


def is_python(command: list[str]) -> bool:
    """Whether it names an interpreter."""
    return bool(command) and _PYTHON.fullmatch(Path(command[0]).name) is not None


def _python_of(command: list[str]) -> str:
    return find_interpreter(find_program(command)) or sys.executable


def _module(words: list[str]) -> tuple[str, list[str]]:
    """`python -m NAME ...`, options of the interpreter before it left out."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        if words[index] == "-m" and index + 1 < len(words):
            return words[index + 1], words[index + 2 :]
        index += 2 if words[index] in OPTIONS_WITH_VALUE else 1
    return "", []


def _torchrun(python: str, name: str, words: list[str], environment: Mapping[str, str]) -> Launch:
    syntax = LAUNCH if name == _LAUNCH else TORCHRUN
    parsed = parse_options(syntax, words)
    options = options_from_environment(syntax, environment) | parsed.options
    parsed = Parsed(
        options, [word.replace("${local_rank}", LOCAL_RANK_WORD) for word in parsed.rest]
    )
    nodes = 1 if "standalone" in options else None
    if "nnodes" in options:
        nodes = _count(options["nnodes"].rpartition(":")[2], "--nnodes")
    wanted = options.get("nproc-per-node", "1")
    per_node = None if wanted in ("gpu", "auto", "cuda") else _count(wanted, "--nproc-per-node")
    port = options.get("master-port") or options.get("rdzv-endpoint", "").rpartition(":")[2]
    argv = _argv(python, parsed)
    if syntax is LAUNCH and "use-env" not in options:
        argv = _with_local_rank(argv, parsed, f"--local-rank={LOCAL_RANK_WORD}")
    names = {
        "role": "ROLE_NAME",
        "rdzv-id": "TORCHELASTIC_RUN_ID",
        "max-restarts": "TORCHELASTIC_MAX_RESTARTS",
    }
    return Launch(
        "torchrun",
        argv,
        per_node,
        nodes,
        int(port) if port.isdigit() else None,
        own={names[option]: options[option] for option in names if option in options},
    )


def _with_local_rank(argv: tuple[str, ...], parsed: Parsed, word: str) -> tuple[str, ...]:
    """The script's own words come behind it."""
    at = len(argv) - len(parsed.rest) + 1
    return (*argv[:at], word, *argv[at:])


def _deepspeed(python: str, words: list[str], node: Node) -> Launch:
    parsed = parse_options(DEEPSPEED, words)
    options = parsed.options
    nodes = _count(options["num-nodes"], "--num_nodes") if "num-nodes" in options else None
    per_node = _count(options["num-gpus"], "--num_gpus") if "num-gpus" in options else None
    env = {}
    if "include" in options or "exclude" in options:
        slots = active_slots(options, node.gpus)
        nodes, per_node = len(slots), len(slots[0])
        env["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, slots[0]))
    elif "hostfile" in options and nodes is None:
        hosts = read_hostfile(Path(options["hostfile"]))
        nodes, per_node = len(hosts), per_node or next(iter(hosts.values()))
    argv = _argv(python, parsed)
    if "no-local-rank" not in options:
        argv = _with_local_rank(argv, parsed, f"--local_rank={LOCAL_RANK_WORD}")
    port = options.get("master-port", "")
    return Launch("deepspeed", argv, per_node, nodes, int(port) if port.isdigit() else None, env)


def _accelerate(
    python: str, words: list[str], environment: Mapping[str, str], node: Node
) -> Launch | None:
    answer = ask_accelerate(python, words, environment, node)
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
    argv = _argv(python, parsed)
    return Launch("accelerate", argv, per_node, answer.machines, answer.port, answer.env)


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
