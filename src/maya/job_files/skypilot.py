"""SkyPilot tasks."""

from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.job_files.job import JobFile, count_of, gpu_named


def read_skypilot(path: Path, task: dict[str, Any]) -> JobFile | None:
    """None for a document that is no task."""
    if "run" not in task or "kind" in task:
        return None
    nodes = count_of(task.get("num_nodes") or 1, "num_nodes", path)
    model, per_node = _accelerator(path, (task.get("resources") or {}).get("accelerators"))
    own = {str(name): str(value) for name, value in (task.get("envs") or {}).items()}
    workdir = task.get("workdir")
    return JobFile(
        "SkyPilot task",
        ("bash", "-c", str(task["run"])),
        nodes,
        per_node,
        gpu_named(model),
        own | _variables(nodes, per_node),
        (path.parent / str(workdir)).absolute() if isinstance(workdir, str) else None,
    )


def _accelerator(path: Path, given: Any) -> tuple[str, int]:
    """`H100:8`, `H100`, `{H100: 8}`, or a list of what would do, of which the first is taken."""
    if isinstance(given, dict):
        given = [f"{name}:{number}" for name, number in given.items()]
    if isinstance(given, list):
        given = given[0] if given else None
    if not isinstance(given, str):
        raise MayaError(f"{path} asks for no GPU", hint="resources: {accelerators: H100:8}")
    model, _, number = given.partition(":")
    return model, count_of(number or 1, "accelerators", path)


def _variables(nodes: int, per_node: int) -> dict[str, str]:
    """What SkyPilot sets on the first node."""
    return {
        "SKYPILOT_NODE_RANK": "0",
        "SKYPILOT_NUM_NODES": str(nodes),
        "SKYPILOT_NUM_GPUS_PER_NODE": str(per_node),
        "SKYPILOT_NODE_IPS": "\n".join(["127.0.0.1"] * nodes),
    }
