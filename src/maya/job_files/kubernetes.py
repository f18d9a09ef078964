"""Jobs of Kubernetes: Kubeflow's PyTorchJob and TrainJob, JobSet, and Job (also Volcano's)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.job_files.job import JobFile, count_of, gpu_named

_GPU = "nvidia.com/gpu"
_MODEL_LABELS = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "gpu.nvidia.com/class",
    "karpenter.k8s.aws/instance-gpu-name",
)
Document = dict[str, Any]


def read_kubernetes(path: Path, document: Document) -> JobFile | None:
    """None for a kind that is not known."""
    reader = _READERS.get(str(document.get("kind")))
    if reader is None:
        return None
    return reader(path, document["spec"])


def _pytorch_job(path: Path, spec: Document) -> JobFile:
    replicas = spec["pytorchReplicaSpecs"]
    counts = [count_of(g.get("replicas", 1), "replicas", path, 0) for g in replicas.values()]
    nodes = count_of(sum(counts), "the sum of replicas", path)
    first = replicas.get("Master") or replicas["Worker"]
    return _of_pod(path, "PyTorchJob", first["template"]["spec"], nodes, spec.get("nprocPerNode"))


def _job_set(path: Path, spec: Document) -> JobFile:
    group = spec["replicatedJobs"][0]
    job = group["template"]["spec"]
    nodes = count_of(group.get("replicas", 1), "replicas", path)
    nodes *= count_of(job.get("parallelism", 1), "parallelism", path)
    nodes = count_of(nodes, "replicas times parallelism", path)
    return _of_pod(path, "JobSet", job["template"]["spec"], nodes, None)


def _job(path: Path, spec: Document) -> JobFile:
    """Of Kubernetes: one template. Of Volcano, as torchx makes it: a task for each pod."""
    tasks = spec.get("tasks") or [{"replicas": spec.get("parallelism", 1), **spec}]
    counts = [count_of(task.get("replicas", 1), "replicas", path, 0) for task in tasks]
    nodes = count_of(sum(counts), "the sum of replicas", path)
    return _of_pod(path, "Job", tasks[0]["template"]["spec"], nodes, None)


def _train_job(path: Path, spec: Document) -> JobFile:
    trainer = spec["trainer"]
    limits = (trainer.get("resourcesPerNode") or {}).get("limits") or {}
    container = {**trainer, "resources": {"limits": limits}}
    pod = {"containers": [container]}
    each = trainer.get("numProcPerNode")
    nodes = count_of(trainer.get("numNodes", 1), "numNodes", path)
    return _of_pod(path, "TrainJob", pod, nodes, each)


def _of_pod(path: Path, kind: str, pod: Document, nodes: int, each: Any) -> JobFile:
    container = pod["containers"][0]
    words = [str(word) for word in (container.get("command") or []) + (container.get("args") or [])]
    if not words:
        raise MayaError(f"{path}: the {kind}'s container has no command", hint="its image decides")
    limits = (container.get("resources") or {}).get("limits") or {}
    if _GPU not in limits:
        raise MayaError(f"{path}: the {kind} asks for no {_GPU}")
    per_node = count_of(limits[_GPU], _GPU, path)
    ranks = per_node if each in (None, "auto", "gpu") else count_of(each, "processes a node", path)
    given = {str(v["name"]): str(v["value"]) for v in container.get("env") or [] if "value" in v}
    return JobFile(
        kind,
        tuple(words),
        nodes,
        per_node,
        _model(pod),
        _variables(nodes, ranks) | given,
    )


def _variables(nodes: int, ranks: int) -> dict[str, str]:
    """What the operator sets: torchrun reads PET_*, other programs the rest."""
    torchrun = {"PET_NNODES": str(nodes), "PET_NPROC_PER_NODE": str(ranks)}
    alone = {"WORLD_SIZE": str(nodes), "LOCAL_WORLD_SIZE": "1"}
    return torchrun | (alone if ranks == 1 and nodes > 1 else {})


def _model(pod: Document) -> str | None:
    labels = pod.get("nodeSelector") or {}
    return next((gpu_named(str(labels[name])) for name in _MODEL_LABELS if name in labels), None)


_READERS: dict[str, Callable[[Path, Document], JobFile]] = {
    "PyTorchJob": _pytorch_job,
    "TrainJob": _train_job,
    "JobSet": _job_set,
    "Job": _job,
}
