"""Fused attention forward of aiconfigurator: a roofline per GPU, then trees on what it leaves."""

import json
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.attention import (
    AttentionParameters,
    AttentionProblem,
    attention_features,
    attention_ns,
)
from maya.estimate.parameters import device_parameters
from maya.estimate.trees import Trees, load_trees
from maya.hardware import Gpu, find_gpu
from maya.units import NS_PER_MS
from workshop.fit.boosting import fit_trees
from workshop.fit.dataset import has_table, held_out, read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.others import of_others
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
SOURCES = {
    "a100-80": ("a100_sxm", "trtllm_1.0.0"),
    "h100": ("h100_sxm", "trtllm_1.3.0rc20"),
    "h200": ("h200_sxm", "trtllm_1.3.0rc20"),
    "l40s": ("l40s", "trtllm_1.3.0rc20"),
    "b200": ("b200_sxm", "trtllm_1.3.0rc20"),
}
_KEYS = ("batch_size", "isl", "num_heads", "num_key_value_heads", "head_dim", "causal")
_FIT_ROWS = 3000
_PRIOR = 0.003


def table(gpu_id: str) -> pl.DataFrame:
    """bf16, whole windows: causal prompts and encoders."""
    folder, version = SOURCES[gpu_id]
    causal = read_table(
        "aiconfigurator", folder, f"attention__{version}__context_attention_perf.csv.gz"
    )
    plain = (pl.col("kv_cache_dtype") == "bfloat16") & (pl.col("window_size") == 0)
    parts = [causal.filter(plain).with_columns(causal=pl.lit(1))]
    name = f"encoder_attention__{version}__encoder_attention_perf.csv.gz"
    if has_table("aiconfigurator", folder, name):
        both = read_table("aiconfigurator", folder, name)
        parts.append(both.with_columns(num_key_value_heads=pl.col("num_heads"), causal=pl.lit(0)))
    kept = [
        part.filter(pl.col("attn_dtype") == "bfloat16").select(*_KEYS, "latency") for part in parts
    ]
    return pl.concat(kept)


def as_problem(rows: pl.DataFrame) -> AttentionProblem:
    """Columns as one problem of arrays."""
    batch, length, heads, kv_heads, dim, causal = (
        rows[name].to_numpy().astype(np.float64) for name in _KEYS
    )
    return AttentionProblem(
        batch, heads, kv_heads, length, length, dim, causal > 0, implementation="library"
    )


def measured_ns(rows: pl.DataFrame) -> Array:
    """Milliseconds in the file."""
    return rows["latency"].to_numpy().astype(np.float64) * NS_PER_MS


def fit_roofline(rows: pl.DataFrame, gpu: Gpu) -> tuple[AttentionParameters, float]:
    """Parameters, and what the harness adds: it also writes the cache of keys and values."""
    from scipy.optimize import minimize

    # Nothing was measured backward.
    names = [field.name for field in fields(AttentionParameters) if field.name != "backward"]
    start = AttentionParameters()
    first = np.log([*(getattr(start, name) for name in names), 10_000.0])
    problem, times = as_problem(rows), measured_ns(rows)

    def unpack(point: Array) -> tuple[AttentionParameters, float]:
        values = [float(f"{value:.4g}") for value in np.exp(point)]
        return AttentionParameters(**dict(zip(names, values, strict=False))), values[-1]

    def loss(point: Array) -> float:
        fitted, harness_ns = unpack(point)
        error = np.log((attention_ns(problem, gpu, fitted) + harness_ns) / times)
        spread = float(np.mean(np.sqrt(error**2 + 0.05**2)))
        return spread + _PRIOR * float(np.mean((point - first) ** 2))

    options = {"maxiter": 1500, "xatol": 1e-3, "fatol": 1e-5, "adaptive": True}
    fitted, harness_ns = unpack(minimize(loss, first, method="Nelder-Mead", options=options).x)
    return fitted, harness_ns


def predict(
    rows: pl.DataFrame,
    gpu: Gpu,
    fitted: AttentionParameters,
    harness_ns: float,
    trees: Trees | None,
) -> Array:
    """What the harness would show."""
    problem = as_problem(rows)
    busy: Any = attention_ns(problem, gpu, fitted)
    if trees is not None:
        change = trees.predict(attention_features(problem, busy, gpu))
        busy = busy * np.exp(np.clip(change, -0.7, 0.7))
    return np.asarray(busy + harness_ns)


def fit_all() -> None:
    """Write attention.json and one file of trees a GPU."""
    path = PARAMETERS / "attention.json"
    content = json.loads(path.read_text("utf-8"))
    for gpu_id in SOURCES:
        gpu, rows = find_gpu(gpu_id), table(gpu_id)
        seen = rows.filter(~held_out(rows, *_KEYS))
        fitted, harness_ns = fit_roofline(seen.sample(_FIT_ROWS, seed=0), gpu)
        problem = as_problem(seen)
        busy = attention_ns(problem, gpu, fitted)
        least = device_parameters(gpu).floor_ns
        target = np.log(np.maximum(measured_ns(seen) - harness_ns, least / 4) / busy)
        trees = fit_trees(attention_features(problem, busy, gpu), np.clip(target, -1, 1))
        PARAMETERS.joinpath(f"attention_{gpu_id}.npz").write_bytes(trees.dump())
        values = asdict(fitted) | {"harness_ns": harness_ns}
        del values["backward"]
        content["library"][gpu_id] = values
        content["library"].setdefault(gpu.architecture, values)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for gpu_id in SOURCES:
        for label, found in evaluate(gpu_id).items():
            print(f"attention {label}: {found.as_row()}", flush=True)


def evaluate(gpu_id: str) -> dict[str, Accuracy]:
    """On the shapes kept from the fit: with trees, without, and as a GPU without measurements."""
    gpu, rows = find_gpu(gpu_id), table(gpu_id)
    unseen = rows.filter(held_out(rows, *_KEYS))
    stored = json.loads((PARAMETERS / "attention.json").read_text("utf-8"))["library"]
    values = dict(stored[gpu_id])
    harness_ns = values.pop("harness_ns")
    trees = load_trees(PARAMETERS.joinpath(f"attention_{gpu_id}.npz").read_bytes())
    ways = {
        gpu_id: (values, trees),
        f"{gpu_id}, roofline alone": (values, None),
        f"{gpu_id}, roofline with the others' parameters": (
            of_others(stored, SOURCES, gpu_id),
            None,
        ),
    }
    return {
        label: accuracy(
            predict(unseen, gpu, AttentionParameters(**used), harness_ns, correction),
            measured_ns(unseen),
        )
        for label, (used, correction) in ways.items()
    }
