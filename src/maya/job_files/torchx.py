"""Applications of torchx (AppDef) as YAML or JSON: roles with an entry point and replicas."""

from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.job_files.job import JobFile, count_of, gpu_named

_DEVICES = "nvidia.com/gpu"


def read_torchx(path: Path, app: dict[str, Any]) -> JobFile | None:
    """None for a document that is no application. The first role that asks for GPUs is the job."""
    if not isinstance(app.get("roles"), list) or "kind" in app:
        return None
    role = next((role for role in app["roles"] if _gpus(role)), None)
    if role is None:
        raise MayaError(f"{path} asks for no GPU", hint="resource: {gpu: 8} of a role says it")
    capabilities = role["resource"].get("capabilities") or {}
    return JobFile(
        "torchx application",
        (str(role["entrypoint"]), *(_of_first(str(word)) for word in role.get("args") or [])),
        count_of(role.get("num_replicas", 1), "num_replicas", path),
        count_of(_gpus(role), "gpu", path),
        gpu_named(str(capabilities.get("gpu_type", ""))),
        {"TORCHX_RANK0_HOST": "localhost"}
        | {str(name): str(value) for name, value in (role.get("env") or {}).items()},
    )


def _gpus(role: dict[str, Any]) -> Any:
    resource = role.get("resource") or {}
    return resource.get("gpu") or (resource.get("devices") or {}).get(_DEVICES)


def _of_first(word: str) -> str:
    """What torchx puts in when it starts the first replica; `$$` stands for a dollar."""
    values = {"app_id": "job", "replica_id": "0", "rank0_env": "TORCHX_RANK0_HOST", "img_root": ""}
    for name, value in values.items():
        word = word.replace(f"${{{name}}}", value)
    return word.replace("$$", "$")
