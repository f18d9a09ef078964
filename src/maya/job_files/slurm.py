"""Slurm batch scripts: the shell runs them, their `#SBATCH` lines say where."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from maya.errors import MayaError
from maya.job_files.job import JobFile, count_of, gpu_named

_SHORT = {"N": "nodes", "n": "ntasks", "G": "gpus", "C": "constraint", "D": "chdir"}
_LINE = re.compile(r"^#SBATCH\s+(.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\d+")  # of `2-4` nodes the fewest


def read_slurm(path: Path, text: str) -> JobFile | None:
    """None for a script without `#SBATCH` lines."""
    try:
        options = _options(text)
    except ValueError as error:
        raise MayaError(f"{path}: a #SBATCH line cannot be read: {error}") from error
    if not options:
        return None
    nodes = _count(options, "nodes", 1, path)
    per_node, gpu = _gpus(options, nodes, path)
    directory = Path(options["chdir"]) if "chdir" in options else None
    return JobFile(
        "Slurm script",
        ("bash", str(path.absolute())),
        nodes,
        per_node,
        gpu,
        _variables(options, nodes, per_node),
        directory,
    )


def _options(text: str) -> dict[str, str]:
    """`--nodes=2`, `--nodes 2`, `-N 2` and `-N2` are one."""
    options: dict[str, str] = {}
    for line in _LINE.findall(text):
        words = shlex.split(line, comments=True)
        while words:
            word = words.pop(0)
            name, equals, value = word.lstrip("-").partition("=")
            if not word.startswith("--"):
                name, value, equals = _SHORT.get(word[1:2], word[1:2]), word[2:], word[2:]
            if not equals and words and not words[0].startswith("-"):
                value = words.pop(0)
            options[name] = value
    return options


def _gpus(options: Mapping[str, str], nodes: int, path: Path) -> tuple[int, str | None]:
    """GPUs a node, and their model where it is named: `gpu:h100:8`, `h100:8`, `8`."""
    text = options.get("gpus-per-node") or _gres(options.get("gres", ""))
    if text is None and "gpus" in options:
        model, _, number = options["gpus"].rpartition(":")
        text = f"{model}:{_positive(number, '--gpus', path) // nodes}"
    if text is None and "gpus-per-task" in options:
        each = _positive(options["gpus-per-task"].rpartition(":")[2], "--gpus-per-task", path)
        text = str(each * _count(options, "ntasks-per-node", 1, path))
    if text is None:
        raise MayaError(
            f"{path} asks for no GPU",
            hint="#SBATCH --gpus-per-node=8 or --gres=gpu:8 says how many a node has",
        )
    model, _, number = text.rpartition(":")
    gpu = gpu_named(model) or gpu_named(options.get("constraint", ""))
    return _positive(number, "GPUs a node", path), gpu


def _gres(text: str) -> str | None:
    """`gpu:8`, `gpu:h100:8`, `gpu`, among others."""
    for part in text.split(","):
        name, _, rest = part.partition(":")
        if name == "gpu":
            return rest or "1"
    return None


def _variables(options: Mapping[str, str], nodes: int, per_node: int) -> dict[str, str]:
    """What sbatch sets for the script."""
    known = {
        "SLURM_JOB_ID": "1",
        "SLURM_NNODES": str(nodes),
        "SLURM_JOB_NUM_NODES": str(nodes),
        "SLURM_JOB_NODELIST": "localhost",
        "SLURM_GPUS_ON_NODE": str(per_node),
        "SLURM_GPUS_PER_NODE": str(per_node),
        "SLURM_PROCID": "0",
        "SLURM_NODEID": "0",
    }
    given = {"ntasks": "SLURM_NTASKS", "ntasks-per-node": "SLURM_NTASKS_PER_NODE"}
    given |= {"cpus-per-task": "SLURM_CPUS_PER_TASK", "job-name": "SLURM_JOB_NAME"}
    return known | {given[name]: options[name] for name in given if options.get(name)}


def _count(options: Mapping[str, str], name: str, default: int, path: Path) -> int:
    return _positive(options[name], f"--{name}", path) if options.get(name) else default


def _positive(text: str, what: str, path: Path) -> int:
    found = _NUMBER.match(text)
    return count_of(found.group() if found else text, what, path)
