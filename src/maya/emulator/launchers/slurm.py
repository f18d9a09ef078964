"""Slurm's srun: as many tasks as it was told, with Slurm's variables instead of torchrun's."""

import re
from collections.abc import Mapping

from maya.emulator.launchers.launch import (
    LOCAL_RANK,
    NODE_RANK,
    NODES,
    PER_NODE,
    RANK,
    WORLD_SIZE,
    Launch,
    Launcher,
    LauncherCall,
    count,
)
from maya.emulator.launchers.options import Syntax, parse_options

# Options with a value and without: those that matter here, and others that stand in scripts.
_VALUES = """
nodes ntasks ntasks-per-node gpus gpus-per-node gpus-per-task gres ntasks-per-gpu account chdir
cpu-bind cpus-per-gpu cpus-per-task comment constraint container-env container-image
container-mounts container-name container-workdir dependency distribution error exclude export
gpu-bind het-group hint input jobid job-name kill-on-bad-exit mem mem-bind mem-per-cpu
mem-per-gpu mpi network nodelist open-mode output partition qos relative reservation signal
slurmd-debug tasks-per-node threads-per-core time wait wckey
"""
_FLAGS = """
container-mount-home exact exclusive label multi-prog no-container-mount-home
no-container-remap-root no-kill overcommit oversubscribe overlap preserve-env pty quiet
unbuffered verbose
"""
_SYNTAX = Syntax(
    "srun",
    frozenset(_VALUES.split()),
    frozenset(_FLAGS.split()),
    {
        "N": "nodes",
        "n": "ntasks",
        "G": "gpus",
        "A": "account",
        "D": "chdir",
        "J": "job-name",
        "c": "cpus-per-task",
        "C": "constraint",
        "d": "dependency",
        "e": "error",
        "i": "input",
        "K": "kill-on-bad-exit",
        "m": "distribution",
        "o": "output",
        "p": "partition",
        "q": "qos",
        "r": "relative",
        "t": "time",
        "w": "nodelist",
        "W": "wait",
        "x": "exclude",
        "l": "label",
        "O": "overcommit",
        "Q": "quiet",
        "u": "unbuffered",
        "v": "verbose",
    },
)
# What sbatch leaves for the srun in its script.
_FROM_BATCH = {
    "nodes": "SLURM_NNODES",
    "ntasks": "SLURM_NTASKS",
    "ntasks-per-node": "SLURM_NTASKS_PER_NODE",
    "gpus-per-node": "SLURM_GPUS_PER_NODE",
}
_OF_A_TASK = {
    "SLURM_PROCID": RANK,
    "SLURM_LOCALID": LOCAL_RANK,
    "SLURM_NODEID": NODE_RANK,
    "SLURM_NTASKS": WORLD_SIZE,
    "SLURM_NPROCS": WORLD_SIZE,
    "SLURM_NTASKS_PER_NODE": PER_NODE,
    "SLURM_TASKS_PER_NODE": PER_NODE,
    "SLURM_NNODES": NODES,
    "SLURM_JOB_NUM_NODES": NODES,
}
_OF_THE_JOB = {
    "SLURM_JOB_ID": "1",
    "SLURM_JOBID": "1",
    "SLURM_JOB_NODELIST": "localhost",
    "SLURM_NODELIST": "localhost",
}


def _read(call: LauncherCall) -> Launch:
    parsed = parse_options(_SYNTAX, call.words)
    options = _from_batch(call.environment) | parsed.options
    nodes = _first_number(options.get("nodes"), "--nodes")
    per_node = _per_node(options, nodes)
    world = None if per_node or "ntasks" not in options else count(options["ntasks"], "--ntasks")
    return Launch(
        "srun",
        tuple(parsed.rest),
        per_node if per_node or world else 1,
        nodes,
        env=dict(_OF_THE_JOB),
        own=dict(_OF_A_TASK),
        elastic=False,
        world=world,
    )


def _from_batch(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: environment[of] for name, of in _FROM_BATCH.items() if environment.get(of)}


def _per_node(options: Mapping[str, str], nodes: int | None) -> int | None:
    """Tasks a node; None where only the number of all tasks is known, or none."""
    for name in ("ntasks-per-node", "tasks-per-node"):
        if name in options:
            return _first_number(options[name], f"--{name}")
    if "ntasks" in options:
        tasks = count(options["ntasks"], "--ntasks")
        return tasks // nodes if nodes and tasks % nodes == 0 else None
    if "ntasks-per-gpu" in options or options.get("gpus-per-task") == "1":
        gpus = options.get("gpus-per-node") or options.get("gres", "")
        return _first_number(gpus.rpartition(":")[2], "--gpus-per-node")
    return None


def _first_number(text: str | None, option: str) -> int | None:
    """`2`, `2-4`, `8(x2)`."""
    return count(re.split(r"[-(]", text)[0], option) if text else None


SRUN = Launcher(("srun",), _read, starts_python=False)
