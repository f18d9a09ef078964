"""Grouped products against plain ones: the feed-forward layers of mixtures of experts on A100."""

import json

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.cost import floor_ns, stream_ns
from maya.estimate.gemm.estimator import gemm_estimate
from maya.estimate.gemm.problem import GemmProblem
from maya.estimate.parameters import device_parameters
from maya.hardware import find_gpu
from maya.units import NS_PER_MS
from workshop.fit.dataset import held_out, read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_GPU = "a100-80"
_TABLE = ("aiconfigurator", "a100_sxm", "moe__trtllm_1.0.0__moe_perf.csv.gz")
_KEYS = ("num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size")
_LEAST_TOKENS = 1024  # fewer are for inference
_HELPERS = 4  # kernels that route, gather, activate and add up


def table() -> pl.DataFrame:
    """CUTLASS's kernels, all experts on one GPU, the evener of the two distributions."""
    return read_table(*_TABLE).filter(
        pl.col("moe_dtype") == "bfloat16",
        pl.col("moe_ep_size") == 1,
        pl.col("distribution") == "power_law_1.01",
        pl.col("num_tokens") >= _LEAST_TOKENS,
    )


def parts(rows: pl.DataFrame) -> tuple[Array, Array]:
    """Time of the two products as if they were plain, and of what stands around them."""
    products, around = [], []
    gpu = find_gpu(_GPU)
    for tokens, hidden, inner, choices, experts, slices in rows.select(_KEYS).iter_rows():
        width, rows_of_all = inner // slices, tokens * choices
        share = max(1, rows_of_all // experts)
        pair = (GemmProblem(share, 2 * width, hidden, experts),
                GemmProblem(share, hidden, width, experts))  # fmt: skip
        products.append(sum(gemm_estimate(problem, gpu).duration_ns for problem in pair))
        moved = 2.0 * rows_of_all * (4 * hidden + 3 * width) + 4.0 * tokens * hidden
        helpers = float(stream_ns(moved, gpu, device_parameters(gpu)))
        around.append(helpers + _HELPERS * floor_ns(gpu))
    return np.array(products, dtype=np.float64), np.array(around)


def measured_ns(rows: pl.DataFrame) -> Array:
    """Milliseconds in the file."""
    return rows["latency"].to_numpy().astype(np.float64) * NS_PER_MS


def fit_all() -> None:
    """Into gemm.json: one number."""
    rows = table()
    seen = rows.filter(~held_out(rows, *_KEYS))
    products, around = parts(seen)
    slowdown = float(np.median((measured_ns(seen) - around) / products))
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    content["grouped"] = {"slowdown": float(f"{slowdown:.3g}")}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"{name}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """On the shapes kept from the fit."""
    slowdown = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))["grouped"]["slowdown"]
    rows = table()
    unseen = rows.filter(held_out(rows, *_KEYS))
    products, around = parts(unseen)
    times = measured_ns(unseen)
    return {
        _GPU: accuracy(slowdown * products + around, times),
        f"{_GPU}, as plain products": accuracy(products + around, times),
    }
