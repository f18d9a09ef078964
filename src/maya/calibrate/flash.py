"""FlashAttention 2, forward and backward, from the figures that its authors published."""

import json
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.calibrate.dataset import output_directory, read_table
from maya.calibrate.errors import Accuracy, accuracy
from maya.estimate.attention import AttentionParameters, AttentionProblem, attention_ns
from maya.estimate.cost import stream_ns
from maya.estimate.parameters import device_parameters
from maya.hardware import Gpu, find_gpu
from maya.units import NS_PER_MS

Array = npt.NDArray[np.float64]
SOURCES = {"a100-80": "A100-80GB-SXM4", "h100": "H100-80GB-SXM5"}
_FITTED = ("forward", "backward", "small_head", "diagonal")
# A100's figures are of both directions together: its forward is the paper's (230 of 312 TFLOP/s).
_KNOWN_FORWARD = {"a100-80": 0.72}


def table(gpu_id: str) -> pl.DataFrame:
    """Rows of FlashAttention 2."""
    rows = read_table("flash_attention", "flash_attention_tflops.csv")
    ours = (pl.col("gpu") == SOURCES[gpu_id]) & (pl.col("implementation") == "FlashAttention-2")
    return rows.filter(ours)


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


def fit(gpu_id: str) -> AttentionParameters:
    """Four numbers from a few dozen rows: nothing is held out."""
    from scipy.optimize import minimize

    gpu, rows = find_gpu(gpu_id), table(gpu_id)
    times = rows["DERIVED_time_ms"].to_numpy() * NS_PER_MS
    known = _KNOWN_FORWARD.get(gpu_id)

    def unpack(point: Array) -> AttentionParameters:
        values = dict(zip(_FITTED, [float(f"{x:.4g}") for x in np.exp(point)], strict=True))
        return AttentionParameters(**(values | ({"forward": known} if known else {})))

    def loss(point: Array) -> float:
        return float(np.mean(np.abs(np.log(predict(rows, gpu, unpack(point)) / times))))

    first = np.log([0.5, 0.4, 0.9, 0.5])
    return unpack(minimize(loss, first, method="Nelder-Mead", options={"maxiter": 1000}).x)


def fit_all() -> None:
    """Into attention.json, for the architecture."""
    path = output_directory() / "attention.json"
    content = json.loads(path.read_text("utf-8"))
    for gpu_id in SOURCES:
        fitted = fit(gpu_id)
        content["flash2"][find_gpu(gpu_id).architecture] = asdict(fitted)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for gpu_id in SOURCES:
        print(f"flash {gpu_id}: {evaluate(gpu_id).as_row()}", flush=True)


def evaluate(gpu_id: str) -> Accuracy:
    """On the rows of the fit: there are no others."""
    stored = json.loads((output_directory() / "attention.json").read_text("utf-8"))["flash2"]
    gpu, rows = find_gpu(gpu_id), table(gpu_id)
    fitted = AttentionParameters(**stored[gpu.architecture])
    return accuracy(predict(rows, gpu, fitted), rows["DERIVED_time_ms"].to_numpy() * NS_PER_MS)
