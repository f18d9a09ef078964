"""Reads a command line: which launcher it is, what each rank would run, and how many there are."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from maya.emulator.launchers.accelerate import ACCELERATE
from maya.emulator.launchers.deepspeed import DEEPSPEED
from maya.emulator.launchers.launch import DEFAULT_NODE, Launch, Launcher, LauncherCall, LaunchNode
from maya.emulator.launchers.mpi import MPIRUN
from maya.emulator.launchers.slurm import SRUN
from maya.emulator.launchers.torchrun import TORCHRUN
from maya.emulator.launchers.torchx import TORCHX
from maya.emulator.launchers.variables import launch_from_variables
from maya.emulator.target import OPTIONS_WITH_VALUE, find_interpreter, find_program

LAUNCHERS = (TORCHRUN, ACCELERATE, DEEPSPEED, SRUN, MPIRUN, TORCHX)
_PYTHON = re.compile(r"python(\d+(\.\d+)?)?")


def read_launch(
    command: list[str],
    environment: Mapping[str, str] = os.environ,
    node: LaunchNode = DEFAULT_NODE,
) -> Launch | None:
    """What a launcher was told to start; None for a program that starts by itself.

    `node`: the GPUs that the launcher would find on its machine.
    """
    given, command = _without_env(command)
    launch = _read(command, {**environment, **given}, node)
    return replace(launch, env=given | launch.env) if launch else None


def is_python(command: list[str]) -> bool:
    """Whether it names an interpreter."""
    return bool(command) and _PYTHON.fullmatch(Path(command[0]).name) is not None


def _read(command: list[str], environment: Mapping[str, str], node: LaunchNode) -> Launch | None:
    if (found := _find(command)) is None:
        return launch_from_variables(command, environment) if is_python(command) else None
    launcher, name, words = found
    python = _python_of(command) if launcher.starts_python else ""
    launch = launcher.read(LauncherCall(name, python, words, environment, node))
    if launch is None or launcher.starts_python:
        return launch
    return _behind(launch, environment, node)


def _behind(outer: Launch, environment: Mapping[str, str], node: LaunchNode) -> Launch:
    """A scheduler that starts one task a node mostly starts a launcher there: its ranks count."""
    given, command = _without_env(list(outer.argv))
    if _find(command) is None:
        return outer
    inner = _read(command, {**environment, **outer.env, **given}, node)
    if inner is None:
        return outer
    return replace(inner, nodes=outer.nodes or inner.nodes, env=outer.env | given | inner.env)


def _find(command: list[str]) -> tuple[Launcher, str, list[str]] | None:
    """The launcher that these words call, as what, and the words behind."""
    name = Path(command[0]).name if command else ""
    rest = command[1:]
    if is_python(command):
        name, rest = _module(rest)
    for launcher, called in all_commands():
        first, *more = called.split()
        if name == first and rest[: len(more)] == more:
            return launcher, called, rest[len(more) :]
    return None


def all_commands() -> Iterator[tuple[Launcher, str]]:
    """Every launcher with each of the commands that call it."""
    return ((launcher, called) for launcher in LAUNCHERS for called in launcher.commands)


def _without_env(command: list[str]) -> tuple[dict[str, str], list[str]]:
    """`env NAME=VALUE... COMMAND` is COMMAND with these variables; with options it is not read."""
    if not command or Path(command[0]).name != "env":
        return {}, command
    words = list(takewhile(lambda word: "=" in word and word[0] != "-", command[1:]))
    rest = command[1 + len(words) :]
    if not rest or rest[0].startswith("-"):
        return {}, command
    return dict(word.split("=", 1) for word in words), rest


def _python_of(command: list[str]) -> str:
    if is_python(command):
        return command[0]
    return find_interpreter(find_program(command)) or sys.executable


def _module(words: list[str]) -> tuple[str, list[str]]:
    """`python -m NAME ...`, options of the interpreter before it left out."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        if words[index] == "-m" and index + 1 < len(words):
            return words[index + 1], words[index + 2 :]
        index += 2 if words[index] in OPTIONS_WITH_VALUE else 1
    return "", []
