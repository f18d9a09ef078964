"""Finds out which kind of file it is."""

from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.hardware.yaml_file import documents
from maya.job_files.job import JobFile
from maya.job_files.kubernetes import read_kubernetes
from maya.job_files.skypilot import read_skypilot
from maya.job_files.slurm import read_slurm
from maya.job_files.torchx import read_torchx
from maya.user_files import read_user_text

_KINDS = (
    "known are Slurm scripts, SkyPilot tasks, torchx applications, and PyTorchJob, TrainJob, "
    "JobSet and Volcano's Job of Kubernetes"
)
_READERS = (read_kubernetes, read_skypilot, read_torchx)


def read_job_file(path: Path) -> JobFile:
    """What a scheduler would make of the file."""
    text = read_user_text(path, hint=_KINDS)
    found = read_slurm(path, text) if text.startswith("#!") else _of_documents(path, text)
    if found is None:
        raise MayaError(f"{path} describes no job that is understood", hint=_KINDS)
    return found


def _of_documents(path: Path, text: str) -> JobFile | None:
    """The first document that is a job; others are volumes, services and the like."""
    for document in documents(text, str(path)):
        if isinstance(document, dict) and (found := _of_document(path, document)):
            return found
    return None


def _of_document(path: Path, document: dict[str, Any]) -> JobFile | None:
    try:
        return next((job for read in _READERS if (job := read(path, document))), None)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        kind = document.get("kind", "task")
        raise MayaError(f"{path}: the {kind} lacks or misspells {error}") from error
