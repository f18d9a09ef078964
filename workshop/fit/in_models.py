"""fp32 products inside whole models against what a sweep of products tells: NeuSight's labels.

A sweep keeps a board at its power limit for hours; in a model, products alternate with lighter work
and clocks are higher. Most boards do not care. The factor is stored where it is beyond doubt.
"""

import ast
import json
import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from maya.estimate.gemm.learned import in_models, learned_estimate
from maya.estimate.gemm.problem import GemmProblem
from maya.units import NS_PER_MS
from workshop.fit.dataset import find_tables, read_table
from workshop.fit.devices import neusight_devices
from workshop.paths import PARAMETERS

_LEAST_MS = 0.2  # shorter ones show the host
_BEYOND_DOUBT = 3.0  # standard errors of the median
_FOLDER = ("neusight", "label_per_op")
_LINEAR = (
    *("dense", "query", "key", "value", "lm_head"),
    *("q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"),
)


def fit_all() -> None:
    """Into gemm.json."""
    found = {}
    for name, gpu in neusight_devices().items():
        ratios = np.array([measured / _estimate_ns(p, gpu.id) for p, measured in products(name)])
        if gpu.architecture == "pascal" or not len(ratios):
            continue
        logs = np.log(ratios)
        middle = float(np.median(logs))
        doubt = math.sqrt(math.pi / 2) * float(logs.std()) / math.sqrt(len(logs))
        print(f"{gpu.id}: {math.exp(middle):.3f} of {len(logs)}, +- {doubt:.3f}", flush=True)
        if abs(middle) > _BEYOND_DOUBT * doubt:
            found[gpu.id] = round(math.exp(middle), 3)
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | {"in_models": found}, indent=1) + "\n", "utf-8")


def products(device: str) -> Iterator[tuple[GemmProblem, float]]:
    """Linear layers and batched products of the models that were run forward, with their times."""
    for name in find_tables(*_FOLDER, f"{device}__*-inf-*.csv.gz"):
        rows = read_table(*name)
        rows = rows.filter(pl.col("fw_latency") > _LEAST_MS)
        for row in rows.iter_rows(named=True):
            sizes = _sizes(row)
            if sizes:
                yield GemmProblem(*sizes, "fp32", 4.0, 4.0), row["fw_latency"] * NS_PER_MS


def _sizes(row: dict[str, str]) -> tuple[int, int, int, int] | None:
    """m, n, k and batch of a node of the model's graph, where it is a product."""
    target = str(row["target"])
    linear = row["op"] == "call_module" and target.rpartition(".")[2] in _LINEAR
    if not linear and "addmm" not in target and "matmul" not in target:
        return None
    shapes = ast.literal_eval(row["input_shapes"])
    if linear:
        *rows, k = shapes[0]
        return math.prod(rows), ast.literal_eval(row["output_shape"])[-1], k, 1
    if "addmm" in target:
        return shapes[1][0], shapes[2][1], shapes[1][1], 1
    if len(shapes) != 2 or len(shapes[0]) != 4:
        return None
    batch, heads, m, k = shapes[0]
    return m, shapes[1][3], k, batch * heads


def _estimate_ns(problem: GemmProblem, gpu_id: str) -> float:
    device = next(gpu for gpu in neusight_devices().values() if gpu.id == gpu_id)
    estimate = learned_estimate(problem, device, "simt")
    return estimate.duration_ns / in_models(gpu_id) if estimate else math.nan
