"""fp32 products on Hopper, Ada and Blackwell, from KernelBench: what their watts allow."""

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from maya.estimate.gemm.estimator import as_problems
from maya.estimate.gemm.roofline import RooflineParameters, roofline
from maya.hardware import find_gpu
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.kernelbench_products import ProductSample, product_samples
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
ARCHITECTURES = ("hopper", "ada", "blackwell")
_FLOOR_NS = 2500.0
_START = {
    "efficiency": 0.8, "small_tile_power": 0.1, "tile_ns": 2000.0, "memory_efficiency": 0.85,
    "split_ns": 2000.0, "stores": 0.8, "watt_share": 0.27, "tn": 0.15, "tn_power": 0.75,
}  # fmt: skip
_BOUNDS = {
    "efficiency": (0.3, 1.0), "small_tile_power": (0.01, 0.6), "tile_ns": (300.0, 20_000.0),
    "memory_efficiency": (0.5, 0.94), "split_ns": (200.0, 20_000.0), "stores": (0.05, 1.001),
    "watt_share": (0.1, 1.0), "tn": (0.02, 1.0), "tn_power": (0.3, 1.5),
}  # fmt: skip
_PRIOR = 0.05
Table = dict[str, dict[str, float]]


def samples() -> list[ProductSample]:
    """Of the architectures without a sweep of their own."""
    return [s for s in product_samples() if find_gpu(s.gpu).architecture in ARCHITECTURES]


def fit(rows: Sequence[ProductSample]) -> Table:
    """Nine numbers for all. Linear layers forward (tn) have a kernel that takes more watts."""
    from scipy.optimize import least_squares

    names, first, bounds = tuple(_START), np.log(list(_START.values())), _BOUNDS.values()
    measured = np.log([row.time_ns for row in rows])

    def unpack(point: Array) -> Table:
        values = [float(f"{value:.4g}") for value in np.exp(point)]
        common = dict(zip(names, values, strict=True)) | {"floor_ns": _FLOOR_NS}
        return dict.fromkeys(ARCHITECTURES, common)

    def residuals(point: Array) -> Array:
        error = np.log(predict(rows, unpack(point))) - measured
        return np.concatenate([error, _PRIOR * (point - first)])

    low, high = (np.log([pair[side] for pair in bounds]) for side in (0, 1))
    found = least_squares(
        residuals, first, bounds=(low, high), loss="soft_l1", f_scale=0.05, diff_step=1e-2
    )
    return unpack(found.x)


def predict(rows: Sequence[ProductSample], table: Table) -> Array:
    """With a table of parameters, as the estimator reads them."""
    found = []
    for row in rows:
        gpu, values = find_gpu(row.gpu), dict(table[find_gpu(row.gpu).architecture])
        watts = gpu.power_limit_w / (gpu.flops_per_s["fp32"] * 1e-12)
        layout = values.pop("tn") * watts ** values.pop("tn_power")
        within = values.pop("watt_share") * watts**0.5
        share = min(values["efficiency"], within, layout if row.problem.layout == "tn" else 1.0)
        fitted = RooflineParameters(**(values | {"efficiency": share}))
        times = roofline(as_problems(row.problem), gpu, gpu.flops_per_s["fp32"], fitted)
        found.append(float(times.total_ns[0]))
    return np.array(found)


def fit_all() -> None:
    """Into gemm.json."""
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    content["simt"] |= fit([row for row in samples() if not row.kept])
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"simt {name}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """Fitted and kept shapes, and each GPU."""
    table = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))["simt"]
    rows, result = samples(), {}
    for kept in (False, True):
        chosen = [row for row in rows if row.kept == kept]
        result["kept" if kept else "fitted"] = _accuracy(chosen, table)
    for gpu in sorted({row.gpu for row in rows}):
        result[gpu] = _accuracy([row for row in rows if row.gpu == gpu], table)
    return result


def leave_one_out() -> dict[str, Accuracy]:
    """Each GPU with what the others say."""
    rows, result = samples(), {}
    for gpu in sorted({row.gpu for row in rows}):
        others = fit([row for row in rows if row.gpu != gpu and not row.kept])
        result[gpu] = _accuracy([row for row in rows if row.gpu == gpu], others)
    return result


def _accuracy(rows: Sequence[ProductSample], table: Table) -> Accuracy:
    return accuracy(predict(rows, table), np.array([row.time_ns for row in rows]))
