"""Attention of one query a request over a paged cache: FlashAttention 3 as SGLang runs it.

What is measured is the kernel with the small one before it that shares out the work. Requests start
in waves, and what is beyond L2 is read at a share of the memory's bandwidth.
"""

import json
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import least_squares

from maya.estimate.kernels.serving import DecodeParameters
from maya.hardware import Gpu, find_gpu
from workshop.fit.dataset import held_out, read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_GPU = "h100"
_FILE = ("h100_sxm", "attention__sglang_0.5.14__generation_attention_perf.csv.gz")
_KEYS = ("num_heads", "num_key_value_heads")
_BYTES_A_KEY = 4  # key and value in bf16, a dimension
# Launches that are repeated find caches between these sizes partly in L2; those of a server do not,
# as weights are read between two layers.
_SHORT_BYTES, _LONG_BYTES = 1e6, 5e7
_MOST_RESIDUAL = 0.5  # of the logarithm: a few rows take another path


def table() -> pl.DataFrame:
    """bf16, whole windows."""
    rows = read_table("aiconfigurator", *_FILE)
    return rows.filter(
        (pl.col("kernel_source") == "fa3")
        & (pl.col("kv_cache_dtype") == "bfloat16")
        & (pl.col("window_size") == 0)
    ).filter((_cache_bytes() < _SHORT_BYTES) | (_cache_bytes() > _LONG_BYTES))


def _cache_bytes() -> pl.Expr:
    keys = pl.col("batch_size").cast(pl.Float64) * (pl.col("step") + 1)
    return keys * pl.col("num_key_value_heads") * pl.col("head_dim") * _BYTES_A_KEY


def predicted_ns(rows: pl.DataFrame, fitted: DecodeParameters, device: Gpu) -> Array:
    """Of plan and kernel."""
    tiles = (rows["batch_size"] * rows["num_key_value_heads"]).to_numpy()
    size = rows.select(_cache_bytes()).to_series().to_numpy()
    rate = device.memory_bandwidth_bytes_per_s * fitted.bandwidth_share
    reading = np.where(size > _SHORT_BYTES, size / rate * 1e9, 0.0)
    return np.asarray(fitted.base_ns + fitted.tile_ns * tiles / device.sm_count + reading, float)


def fit() -> tuple[DecodeParameters, Accuracy]:
    """Parameters, and their errors on rows that were kept from the fit."""
    device, rows = find_gpu(_GPU), table()
    kept = held_out(rows, *_KEYS)
    seen = rows.filter(~kept)

    def parameters(x: Array) -> DecodeParameters:
        base, tile, share = (round(float(value), 4) for value in x)
        return DecodeParameters(base * 1e3, tile * 1e3, share)

    def residuals(x: Array) -> Array:
        shown = predicted_ns(seen, parameters(x), device) / (seen["latency"].to_numpy() * 1e6)
        return np.clip(np.log(shown), -_MOST_RESIDUAL, _MOST_RESIDUAL)

    found = least_squares(residuals, [9.0, 2.5, 0.9], diff_step=1e-3)
    best = parameters(found.x)
    judged = rows.filter(kept)
    return best, accuracy(predicted_ns(judged, best, device), judged["latency"].to_numpy() * 1e6)


def fit_all() -> None:
    """Write the parameters and print the errors."""
    best, errors = fit()
    data = {"hopper": {name: round(value, 4) for name, value in asdict(best).items()}}
    (PARAMETERS / "decode_attention.json").write_text(json.dumps(data, indent=1) + "\n")
    print(f"decode attention {_GPU}: rows | median | p90 | bias: {errors.as_row()}")
