"""fp32 products without tensor cores, from NeuSight's linear layers and batched products."""

import json
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.gemm.features import features
from maya.estimate.gemm.roofline import SWEPT, Problems, RooflineParameters, roofline
from maya.estimate.trees import Trees, load_trees
from maya.hardware import Gpu
from maya.units import NS_PER_MS
from workshop.fit.boosting import fit_trees
from workshop.fit.dataset import held_out, read_table
from workshop.fit.devices import neusight_devices
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.others import of_others
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_KEYS = ("B", "M", "N", "K")
_FIT_ROWS = 2500
_FLOOR_NS = 2500.0  # cannot be told from the harness's constant
_PRIOR = 0.3
_BOUNDS = {
    "efficiency": (0.3, 1.0),
    "small_tile_power": (0.01, 0.6),
    "tile_ns": (300.0, 6000.0),
    "memory_efficiency": (0.5, 0.94),
    "cached_share": (0.2, 2.0),
    "cache_speedup": (1.0, 4.0),
    "split_ns": (200.0, 5000.0),
    "harness_ns": (1000.0, 60_000.0),
}
_NAMES = [name for name in SWEPT if name != "floor_ns"]


def _devices() -> dict[str, Gpu]:
    """Those of the catalogue; nobody predicts for Pascal."""
    measured = neusight_devices()
    return {name: gpu for name, gpu in measured.items() if gpu.architecture != "pascal"}


def table(name: str) -> pl.DataFrame:
    """Rows above what the harness shows at least: there its loop is bound by the host."""
    parts = []
    for operation in ("linear", "bmm"):
        rows = read_table("neusight", "train", "collect", operation, "p2.1.0", f"{name}.csv.gz")
        rows = rows.select(*(pl.col(key).cast(pl.Int64) for key in _KEYS), "Latency")
        parts.append(rows.filter(pl.col("Latency") > 1.3 * pl.col("Latency").quantile(0.05)))
    return pl.concat(parts)


def as_problems(rows: pl.DataFrame) -> Problems:
    """B products of M x K by K x N."""
    batch, m, n, k = (rows[key].to_numpy().astype(np.float64) for key in _KEYS)
    return Problems(m, n, k, batch, 4.0, 4.0)


def predict(
    rows: pl.DataFrame,
    gpu: Gpu,
    fitted: RooflineParameters,
    harness_ns: float,
    trees: Trees | None = None,
) -> Array:
    """What the harness would show."""
    times = roofline(as_problems(rows), gpu, gpu.flops_per_s["fp32"], fitted)
    change = trees.predict(features(as_problems(rows), times, gpu)) if trees else 0.0
    return np.asarray(times.total_ns * np.exp(np.clip(change, -0.7, 0.7)) + harness_ns)


def correction(
    rows: pl.DataFrame, gpu: Gpu, fitted: RooflineParameters, harness_ns: float
) -> Trees:
    """Trees on the logarithm of what is left without the harness's constant."""
    times = roofline(as_problems(rows), gpu, gpu.flops_per_s["fp32"], fitted)
    left = np.maximum(measured_ns(rows) - harness_ns, _FLOOR_NS)
    target = np.clip(np.log(left / times.total_ns), -1, 1)
    return fit_trees(features(as_problems(rows), times, gpu), target, trees=400)


def fit(rows: pl.DataFrame, gpu: Gpu) -> tuple[RooflineParameters, float]:
    """Robust least squares of the logarithm."""
    from scipy.optimize import least_squares

    start = RooflineParameters(efficiency=0.85, small_tile_power=0.1)
    first = np.log([*(getattr(start, name) for name in _NAMES), 15_000.0])
    times = measured_ns(rows)

    def unpack(point: Array) -> tuple[RooflineParameters, float]:
        values = [float(f"{value:.4g}") for value in np.exp(point)]
        named = dict(zip(_NAMES, values, strict=False))
        return RooflineParameters(floor_ns=_FLOOR_NS, **named), values[-1]

    def residuals(point: Array) -> Array:
        error = np.log(predict(rows, gpu, *unpack(point)) / times)
        return np.concatenate([error, _PRIOR * (point - first)])

    low, high = (
        np.log([_BOUNDS[name][side] for name in (*_NAMES, "harness_ns")]) for side in (0, 1)
    )
    # Rounding to four digits needs a wider step than the default.
    found = least_squares(
        residuals, first, bounds=(low, high), loss="soft_l1", f_scale=0.05, diff_step=1e-2
    )
    return unpack(found.x)


def measured_ns(rows: pl.DataFrame) -> Array:
    """Milliseconds in the file."""
    return rows["Latency"].to_numpy().astype(np.float64) * NS_PER_MS


def fit_all() -> None:
    """Into gemm.json."""
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    for name, gpu in _devices().items():
        rows = table(name)
        seen = rows.filter(~held_out(rows, *_KEYS))
        fitted, harness_ns = fit(seen.sample(_FIT_ROWS, seed=0), gpu)
        values = asdict(fitted) | {"harness_ns": harness_ns}
        trees = correction(seen, gpu, fitted, harness_ns)
        PARAMETERS.joinpath(f"simt_{gpu.id}.npz").write_bytes(trees.dump())
        content["simt"][gpu.id] = values
        content["simt"][gpu.architecture] = values
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"simt {name}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """On the shapes kept from the fit: with trees, without, and as a GPU without measurements."""
    stored = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))["simt"]
    devices = _devices()
    measured = [gpu.id for gpu in devices.values()]
    result = {}
    for name, gpu in devices.items():
        rows = table(name)
        unseen = rows.filter(held_out(rows, *_KEYS))
        values = dict(stored[gpu.id])
        harness_ns = values.pop("harness_ns")
        trees = load_trees(PARAMETERS.joinpath(f"simt_{gpu.id}.npz").read_bytes())
        others = of_others(stored, measured, gpu.id)
        for label, parameters, used in (
            (gpu.id, values, trees),
            (f"{gpu.id}, roofline alone", values, None),
            (f"{gpu.id}, roofline with the others' parameters", others, None),
        ):
            found = predict(unseen, gpu, RooflineParameters(**parameters), harness_ns, used)
            result[label] = accuracy(found, measured_ns(unseen))
    return result
