"""`torchx run` with its components `dist.ddp` and `dist.spmd`, which put torchrun on every node."""

import configparser
import re
from pathlib import Path

from maya.emulator.launchers.launch import Launch, Launcher, LauncherCall, count
from maya.emulator.launchers.options import Parsed, Syntax, split_options
from maya.emulator.launchers.script import script_argv
from maya.errors import MayaError

_COMPONENTS = ("dist.ddp", "dist.spmd", "spmd")
_RUN = Syntax(
    "torchx run",
    frozenset(["scheduler", "scheduler-args", "workspace", "parent-run-id"]),
    frozenset(["dryrun", "wait", "log", "tee-logs", "stdin"]),
    {"s": "scheduler", "cfg": "scheduler-args"},
)
_OF_JOB = """
script m image name h cpu gpu memMB j env max-retries rdzv-port rdzv-backend mounts debug tee
"""
_COMPONENT = Syntax("torchx run dist.ddp", frozenset(_OF_JOB.split()), frozenset())
_LAYOUT = re.compile(r"(?:(?:\d+:)?(?P<nodes>\d+)x)?(?P<each>\d+)")
_CONFIG = ".torchxconfig"
_USUAL = {"dist.ddp": "1x2"}  # processes where nobody says how many


def _read(call: LauncherCall) -> Launch | None:
    component, *words = split_options(_RUN, call.words).rest or [""]
    if component not in _COMPONENTS:
        return None  # another component, which may be any program
    parsed = split_options(_COMPONENT, words)
    options = _configured(component) | parsed.options
    nodes, per_node = _layout(options.get("j", _USUAL.get(component, "1x1")), component)
    return Launch(
        "torchx",
        _argv(call.python, options, parsed.rest),
        per_node,
        nodes,
        env=_variables(options.get("env", "")),
    )


def _configured(component: str) -> dict[str, str]:
    """What `.torchxconfig` of the working directory says where the command does not."""
    config = configparser.ConfigParser()
    config.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        config.read(Path(_CONFIG))
    except configparser.Error as error:
        raise MayaError(f"{_CONFIG} cannot be read: {error}") from error
    given = config.items(component) if config.has_section(component) else []
    return {name.replace("_", "-"): value for name, value in given}


def _layout(text: str, component: str) -> tuple[int, int | None]:
    """`2x8`, `2:4x8` (elastic, up to four), or `8` of one node; of spmd `2` is two whole nodes."""
    found = _LAYOUT.fullmatch(text)
    if found is None:
        raise MayaError(f"torchx: -j must be nodes and processes as in 2x8, not {text!r}")
    nodes, each = found["nodes"], count(found["each"], "-j")
    if nodes is None and component != "dist.ddp":
        return each, None
    return count(nodes or "1", "-j"), each


def _argv(python: str, options: dict[str, str], rest: list[str]) -> tuple[str, ...]:
    if ("script" in options) == ("m" in options):
        raise MayaError("torchx: exactly one of --script and -m names the program")
    if "m" in options:
        return script_argv(python, Parsed({"module": "1"}, [options["m"], *rest]))
    return script_argv(python, Parsed({}, [options["script"], *rest]))


def _variables(text: str) -> dict[str, str]:
    """`A=1,B=2`; a comma without a name behind it belongs to the value."""
    pairs = [pair.partition("=") for pair in re.split(r",(?=\w+=)", text) if pair]
    return {name: value for name, _, value in pairs}


TORCHX = Launcher(("torchx run", "torchx.cli.main run"), _read)
