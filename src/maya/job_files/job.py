"""A job as its file describes it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from maya.errors import MayaError
from maya.hardware import find_gpu

_MOST_COUNT = 1 << 20  # of nodes, and of anything in one
_SIZE = re.compile(r"(\d+)gb?$")
_NO_MODEL = {"nvidia", "tesla", "geforce", "gpu", "sxm", "sxm2", "sxm4", "sxm5", ""}


@dataclass(frozen=True, slots=True)
class JobFile:
    """The command of the job's first node, and the nodes."""

    kind: str  # "Slurm script", "SkyPilot task", ...
    command: tuple[str, ...]
    nodes: int = 1
    per_node: int = 1
    gpu: str | None = None  # as the catalogue calls it; None: the file does not say
    env: dict[str, str] = field(default_factory=dict)
    directory: Path | None = None  # where the command runs

    def cluster(self, gpu: str | None = None) -> str:
        """As `--cluster` takes it."""
        model = gpu or self.gpu
        if model is None:
            raise MayaError(
                f"the {self.kind} does not say which GPU it wants",
                hint="name it: --cluster h100, or a whole cluster such as --cluster h100:8x2",
            )
        return f"{model}:{self.per_node}" + (f"x{self.nodes}" if self.nodes > 1 else "")


def count_of(given: object, what: str, path: Path, least: int = 1) -> int:
    """A number of nodes, GPUs or processes, as a file has it."""
    text = str(given)[:40]
    try:
        number = int(float(text))
    except (ValueError, OverflowError):
        number = -1
    if not least <= number <= _MOST_COUNT:
        wanted = f"a positive number up to {_MOST_COUNT:,}"
        raise MayaError(f"{path}: {what} must be {wanted}, not {text!r}")
    return number


def gpu_named(text: str) -> str | None:
    """A GPU as schedulers spell it: H100, A100-80GB, nvidia-h100-80gb, NVIDIA-A100-SXM4-40GB."""
    words = [word for word in re.split(r"[-_ .]+", text.lower()) if word not in _NO_MODEL]
    if not words:
        return None
    size = next((found.group(1) for word in words[1:] if (found := _SIZE.match(word))), None)
    pcie = ["pcie"] if "pcie" in words else []
    for tail in ([*pcie, *([size] if size else [])], [size] if size else [], pcie, []):
        if known := _known("-".join([words[0], *tail])):
            return known
    return None


def _known(name: str) -> str | None:
    try:
        return find_gpu(name).id
    except MayaError:
        return None
