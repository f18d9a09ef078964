"""mpirun and mpiexec of Open MPI."""

import re
from collections.abc import Mapping

from maya.emulator.launchers.launch import (
    LOCAL_RANK,
    NODE_RANK,
    PER_NODE,
    RANK,
    WORLD_SIZE,
    Launch,
    Launcher,
    LauncherCall,
    count,
)
from maya.emulator.launchers.options import Parsed, Syntax, parse_options
from maya.errors import MayaError

_VALUES = """
np npernode map-by bind-to rank-by host hostfile machinefile x wdir prefix cpus-per-proc
output-filename timeout
"""
_FLAGS = """
allow-run-as-root oversubscribe report-bindings tag-output display-map quiet verbose
use-hwthread-cpus
"""
_SYNTAX = Syntax(
    "mpirun",
    frozenset(_VALUES.split()),
    frozenset(_FLAGS.split()),
    {"n": "np", "c": "np", "N": "npernode", "H": "host", "q": "quiet", "v": "verbose"},
    frozenset({"mca", "gmca"}),
)
_OF_A_RANK = {
    "OMPI_COMM_WORLD_RANK": RANK,
    "OMPI_COMM_WORLD_LOCAL_RANK": LOCAL_RANK,
    "OMPI_COMM_WORLD_NODE_RANK": NODE_RANK,
    "OMPI_COMM_WORLD_SIZE": WORLD_SIZE,
    "OMPI_COMM_WORLD_LOCAL_SIZE": PER_NODE,
}


def _read(call: LauncherCall) -> Launch:
    parsed = parse_options(_SYNTAX, call.words)
    per_node = _per_node(parsed.options)
    world = count(parsed.options["np"], "-np") if "np" in parsed.options else None
    if world and per_node and world % per_node:
        raise MayaError(
            f"mpirun: {world} ranks cannot be shared out as {per_node} a node",
            hint="-np counts the ranks of all nodes",
        )
    return Launch(
        "mpirun",
        tuple(parsed.rest),
        per_node,
        world // per_node if world and per_node else None,
        env=_variables(parsed, call.environment),
        own=dict(_OF_A_RANK),
        elastic=False,
        world=world,
    )


def _per_node(options: Mapping[str, str]) -> int | None:
    """`-N 8`, `--map-by ppr:8:node`, or the slots of the first host of `-H a:8,b:8`."""
    if "npernode" in options:
        return count(options["npernode"], "--npernode")
    if found := re.match(r"ppr:(\d+):node", options.get("map-by", "")):
        return int(found.group(1))
    slots = re.match(r"[^,:]+:(\d+)", options.get("host", ""))
    return int(slots.group(1)) if slots else None


def _variables(parsed: Parsed, environment: Mapping[str, str]) -> dict[str, str]:
    """`-x NAME=VALUE` sets one; `-x NAME` hands the caller's on, which all ranks have here."""
    words = [value for name, value in parsed.given if name == "x"]
    pairs = [word.partition("=") for word in words]
    return {name: value if equals else environment.get(name, "") for name, equals, value in pairs}


MPIRUN = Launcher(("mpirun", "mpiexec", "orterun"), _read, starts_python=False)
