"""Attention in both directions, from the figures that FlashAttention's authors published."""

import json
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.attention import AttentionParameters, AttentionProblem, attention_ns
from maya.estimate.cost import stream_ns
from maya.estimate.parameters import device_parameters
from maya.hardware import Gpu, find_gpu
from maya.units import NS_PER_MS
from workshop.fit.dataset import read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
# By FlashAttention 2's authors (as remembered of their paper): how many times faster than the first
# version in Triton it is, 1.3 to 1.5 forward and 2 backward.
_OVER_TRITON = (1.4, 2.0)
_NAMES = {"a100-80": "A100-80GB-SXM4", "h100": "H100-80GB-SXM5"}


@dataclass(frozen=True, slots=True)
class Source:
    """One implementation on one GPU, and what its rows can decide."""

    key: str  # of attention.json
    gpu_id: str
    implementation: str  # as the figures name it
    fitted: tuple[str, ...]
    known_forward: float | None = None
    # Backward's share over forward's is that of FlashAttention 2: rows of its own are missing.
    borrows_backward: bool = False
    head_dim: int | None = None  # only rows of it; wider heads are as fast as Triton's

    @property
    def label(self) -> str:
        """For the report."""
        return f"{self.gpu_id} {self.implementation}"


SOURCES = (
    # A100's figures are of both directions together: its forward is the paper's (230 of 312).
    Source("flash2", "a100-80", "FlashAttention-2", ("backward", "small_head", "diagonal"), 0.72),
    Source("flash2", "h100", "FlashAttention-2", ("forward", "backward", "small_head", "diagonal")),
    # PyTorch's memory-efficient kernels are of the first version's generation. In heads of 128 its
    # figures are of kernels that were made for 64; there Triton's stand for the generation.
    Source("efficient", "a100-80", "FlashAttention(1)", ("small_head", "diagonal"), head_dim=64),
    Source("cudnn", "h100", "cuDNN", ("forward", "diagonal"), borrows_backward=True),
)  # fmt: skip


def table(source: Source) -> pl.DataFrame:
    """The rows of a source."""
    rows = read_table("flash_attention", "flash_attention_tflops.csv")
    own = rows.filter(
        pl.col("gpu") == _NAMES[source.gpu_id], pl.col("implementation") == source.implementation
    )
    return own.filter(pl.col("head_dim") == source.head_dim) if source.head_dim else own


def predict(rows: pl.DataFrame, gpu: Gpu, fitted: AttentionParameters) -> Array:
    """Forward, and backward with the kernels before and after its loop."""
    batch, heads, length, dim = (
        rows[name].to_numpy().astype(np.float64)
        for name in ("batch", "heads", "seq_len", "head_dim")
    )
    causal = rows["causal"].to_numpy()
    forward = AttentionProblem(batch, heads, heads, length, length, dim, causal)
    floor_ns = device_parameters(gpu).floor_ns
    total = floor_ns + attention_ns(forward, gpu, fitted)
    values = batch * heads * length * dim
    helpers = stream_ns(8 * values, gpu, device_parameters(gpu))
    helpers += stream_ns(6 * values, gpu, device_parameters(gpu)) + 3 * floor_ns
    backward = attention_ns(replace(forward, backward=True), gpu, fitted) + helpers
    both = (rows["mode"] == "fwd+bwd").to_numpy()
    return np.asarray(np.where(both, total + backward, total))


def fit(source: Source, newest: dict[str, float]) -> AttentionParameters:
    """A few numbers from a few dozen rows: nothing is held out. `newest`: FlashAttention 2's."""
    from scipy.optimize import minimize

    gpu, rows = find_gpu(source.gpu_id), table(source)
    times = rows["DERIVED_time_ms"].to_numpy() * NS_PER_MS
    start = {"forward": 0.5, "backward": 0.4, "small_head": 0.9, "diagonal": 0.5}

    def unpack(point: Array) -> AttentionParameters:
        values = dict(zip(source.fitted, [float(f"{x:.4g}") for x in np.exp(point)], strict=True))
        if source.known_forward:
            values["forward"] = source.known_forward
        if source.borrows_backward:
            ratio = newest["backward"] / newest["forward"]
            values["backward"] = float(f"{values['forward'] * ratio:.4g}")
        if source.head_dim:
            for name, faster in zip(("forward", "backward"), _OVER_TRITON, strict=True):
                values[name] = float(f"{newest[name] / faster:.4g}")
        return AttentionParameters(**values)

    def loss(point: Array) -> float:
        return float(np.mean(np.abs(np.log(predict(rows, gpu, unpack(point)) / times))))

    first = np.log([start[name] for name in source.fitted])
    return unpack(minimize(loss, first, method="Nelder-Mead", options={"maxiter": 1000}).x)


def fit_all() -> None:
    """Into attention.json, for the architecture."""
    path = PARAMETERS / "attention.json"
    content = json.loads(path.read_text("utf-8"))
    content.setdefault("cudnn", {"default": {}})
    for source in SOURCES:
        architecture = find_gpu(source.gpu_id).architecture
        known = content["flash2"].get(architecture, content["flash2"]["default"])
        content[source.key][architecture] = asdict(fit(source, known))
    content["efficient"] |= {
        "hopper": carried_over(content, "hopper"),
        "default": content["efficient"]["ampere"],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for label, found in evaluate().items():
        print(f"{label}: {found.as_row()}", flush=True)


def carried_over(
    content: dict[str, dict[str, dict[str, float]]], architecture: str
) -> dict[str, float]:
    """Since Hopper kernels without warp groups lose as much as FlashAttention 2 does there."""
    values = dict(content["efficient"]["ampere"])
    for name in ("forward", "backward"):
        loss = content["flash2"][architecture][name] / content["flash2"]["ampere"][name]
        values[name] = float(f"{values[name] * loss:.4g}")
    return values


def evaluate() -> dict[str, Accuracy]:
    """On the rows of the fit: there are no others."""
    stored = json.loads((PARAMETERS / "attention.json").read_text("utf-8"))
    result = {}
    for source in SOURCES:
        gpu, rows = find_gpu(source.gpu_id), table(source)
        fitted = AttentionParameters(**stored[source.key][gpu.architecture])
        times = rows["DERIVED_time_ms"].to_numpy() * NS_PER_MS
        result[source.label] = accuracy(predict(rows, gpu, fitted), times)
    return result
