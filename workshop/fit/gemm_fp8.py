"""fp8 products of aiconfigurator: the same roofline with parameters of its own."""

import json
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.cost import floor_ns, stream_ns
from maya.estimate.gemm.roofline import SWEPT, Problems, RooflineParameters, roofline
from maya.estimate.parameters import device_parameters
from maya.hardware import Gpu, find_gpu
from workshop.fit.dataset import read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.gemm import SOURCES, measured_ns, test_rows
from workshop.fit.others import of_others
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
GPUS = tuple(name for name in SOURCES if name != "a100-80")  # which has no fp8
_FOUR_BITS = "b200"
_FIT_ROWS = 1500
_PRIOR = 0.01


def table(gpu_id: str, data_type: str = "fp8") -> pl.DataFrame:
    """The measured products: one scale a tensor."""
    rows = read_table("aiconfigurator", *SOURCES[gpu_id])
    return rows.filter(pl.col("gemm_dtype") == data_type)


def predict(
    rows: pl.DataFrame, gpu: Gpu, fitted: RooflineParameters, key: str = "fp8", width: float = 1.0
) -> Array:
    """What the harness shows: activations are quantised from bf16 by a kernel before."""
    m, n, k = (rows[name].to_numpy().astype(np.float64) for name in ("m", "n", "k"))
    problems = Problems(m, n, k, np.ones_like(m), width, 2.0)
    times = roofline(problems, gpu, gpu.flops_per_s[key], fitted)
    quantised: Array = np.asarray(stream_ns((2 + width) * m * k, gpu, device_parameters(gpu)))
    return times.total_ns + quantised + floor_ns(gpu)


def fit(gpu_id: str) -> tuple[RooflineParameters, float]:
    """Eight numbers, near those of bf16 unless the measurements say otherwise; what the floor has
    more than that of bf16 is the harness's (kernels around the product)."""
    from scipy.optimize import minimize

    gpu, rows = find_gpu(gpu_id), table(gpu_id)
    seen = rows.filter(~test_rows(rows)).sample(_FIT_ROWS, seed=0)
    stored = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))["tensor"][gpu_id]
    names = SWEPT
    first = np.log([stored[name] for name in names])
    times = measured_ns(seen)

    def unpack(point: Array) -> RooflineParameters:
        values = [float(f"{value:.4g}") for value in np.exp(point)]
        return RooflineParameters(**dict(zip(names, values, strict=True)))

    def loss(point: Array) -> float:
        error = np.log(predict(seen, gpu, unpack(point)) / times)
        spread = float(np.mean(np.sqrt(error**2 + 0.05**2)))
        return spread + _PRIOR * float(np.mean((point - first) ** 2))

    options = {"maxiter": 400, "xatol": 1e-2, "fatol": 1e-4, "adaptive": True}
    found = unpack(minimize(loss, first, method="Nelder-Mead", options=options).x)
    floor = float(stored["floor_ns"])
    return replace(found, floor_ns=floor), max(0.0, round(found.floor_ns - floor))


def fit_all() -> None:
    """Into gemm.json, for the GPU and its architecture."""
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    content["fp8"] = {}
    for gpu_id in GPUS:
        fitted, harness_ns = fit(gpu_id)
        values = asdict(fitted) | {"harness_ns": harness_ns}
        content["fp8"][gpu_id] = values
        content["fp8"].setdefault(find_gpu(gpu_id).architecture, values)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for gpu_id, found in evaluate().items():
        print(f"fp8 {gpu_id}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """On the shapes kept from the fit."""
    stored = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))["fp8"]
    result = {}
    for gpu_id in GPUS:
        values = dict(stored[gpu_id])
        harness_ns = values.pop("harness_ns")
        rows = table(gpu_id)
        unseen = rows.filter(test_rows(rows))
        others = of_others(stored, GPUS, gpu_id)
        for label, used in ((gpu_id, values), (f"{gpu_id}, with the others' parameters", others)):
            found = predict(unseen, find_gpu(gpu_id), RooflineParameters(**used)) + harness_ns
            result[label] = accuracy(found, measured_ns(unseen))
    return result | _four_bits(dict(stored[_FOUR_BITS]))


def _four_bits(values: dict[str, float]) -> dict[str, Accuracy]:
    """nvfp4, which takes the parameters of fp8: all rows."""
    harness_ns, gpu = values.pop("harness_ns"), find_gpu(_FOUR_BITS)
    rows = table(_FOUR_BITS, "nvfp4")
    found = predict(rows, gpu, RooflineParameters(**values), "fp4", 0.5) + harness_ns
    return {f"{_FOUR_BITS}, nvfp4 with fp8's parameters": accuracy(found, measured_ns(rows))}
