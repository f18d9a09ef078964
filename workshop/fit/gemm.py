"""bf16 products of aiconfigurator: a roofline per GPU, then trees on what it leaves."""

import json
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.gemm.features import features
from maya.estimate.gemm.learned import least_ns
from maya.estimate.gemm.roofline import SWEPT, Problems, RooflineParameters, roofline
from maya.estimate.trees import Trees
from maya.hardware import Gpu, find_gpu
from maya.units import NS_PER_MS, NS_PER_S
from workshop.fit.boosting import fit_trees
from workshop.fit.dataset import held_out, read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
# One source a GPU: sources differ by 2-8 % (the data's README).
SOURCES = {
    "a100-80": ("a100_sxm", "gemm__trtllm_1.0.0__gemm_perf.csv.gz"),
    "h100": ("h100_sxm", "gemm__trtllm_1.3.0rc20__gemm_perf.csv.gz"),
    "h200": ("h200_sxm", "gemm__trtllm_1.3.0rc20__gemm_perf.csv.gz"),
    "l40s": ("l40s", "gemm__trtllm_1.3.0rc20__gemm_perf.csv.gz"),
    "b200": ("b200_sxm", "gemm__trtllm_1.3.0rc20__gemm_perf.csv.gz"),
}
_FIT_ROWS = 3000  # of the roofline, which has eight parameters
_POOL_ROWS = 4000  # of each GPU, for a correction that is carried over
_LARGE = 1e11  # operations
_SIZES = ("m", "n", "k", "latency")
_FEW_ROWS = range(3, 7)
_PRIOR = 0.01  # keeps parameters that the data does not decide near typical values


def table(gpu_id: str) -> pl.DataFrame:
    """The measured products of a GPU."""
    rows = read_table("aiconfigurator", *SOURCES[gpu_id])
    return rows.filter(pl.col("gemm_dtype") == "bfloat16")


def as_problems(rows: pl.DataFrame) -> Problems:
    """y[m,n] = x[m,k] W[n,k]^T."""
    m, n, k = (rows[name].to_numpy().astype(np.float64) for name in ("m", "n", "k"))
    return Problems(m, n, k, np.ones_like(m), 2.0, 2.0)


def measured_ns(rows: pl.DataFrame) -> Array:
    """Milliseconds in the file."""
    return rows["latency"].to_numpy().astype(np.float64) * NS_PER_MS


def test_rows(rows: pl.DataFrame) -> npt.NDArray[np.bool_]:
    """Shapes that no fit sees."""
    return held_out(rows, "m", "n", "k")


def fit_roofline(
    parts: list[tuple[Gpu, pl.DataFrame]], start: RooflineParameters | None = None
) -> RooflineParameters:
    """Eight numbers that explain the products of one GPU, or of several at once."""
    from scipy.optimize import minimize

    start = start or RooflineParameters()
    names = SWEPT
    first = np.log([getattr(start, name) for name in names])
    prepared = [(gpu, as_problems(rows), measured_ns(rows)) for gpu, rows in parts]

    def parameters(point: Array) -> RooflineParameters:
        return RooflineParameters(**dict(zip(names, np.exp(point).tolist(), strict=True)))

    def loss(point: Array) -> float:
        total = 0.0
        for gpu, problems, times in prepared:
            found = roofline(problems, gpu, gpu.flops_per_s["bf16"], parameters(point))
            error = np.log(found.total_ns / times)
            total += float(np.mean(np.sqrt(error**2 + 0.05**2)))  # robust: rare outliers
        return total / len(prepared) + _PRIOR * float(np.mean((point - first) ** 2))

    options = {"maxiter": 500, "xatol": 1e-2, "fatol": 1e-4}
    best = minimize(loss, first, method="Nelder-Mead", options=options)
    rounded = {name: float(f"{np.exp(x):.4g}") for name, x in zip(names, best.x, strict=True)}
    return RooflineParameters(**rounded)


def correction(
    parts: list[tuple[Gpu, pl.DataFrame]],
    fitted: dict[str, RooflineParameters],
    trees: int = 600,
    leaves: int = 47,
) -> Trees:
    """Trees on the logarithm of measured over roofline."""
    inputs, targets = [], []
    for gpu, rows in parts:
        problems = as_problems(rows)
        times = roofline(problems, gpu, gpu.flops_per_s["bf16"], fitted[gpu.id])
        inputs.append(features(problems, times, gpu))
        targets.append(np.log(measured_ns(rows) / times.total_ns))
    return fit_trees(np.concatenate(inputs), np.concatenate(targets), trees=trees, leaves=leaves)


def predict(
    rows: pl.DataFrame,
    gpu: Gpu,
    fitted: RooflineParameters,
    trees: Trees | None,
    limited: bool = True,
) -> Array:
    """What the estimator would say; its limit is of the GPU's own measurements."""
    problems = as_problems(rows)
    times = roofline(problems, gpu, gpu.flops_per_s["bf16"], fitted)
    if trees is None:
        return times.total_ns
    change = np.clip(trees.predict(features(problems, times, gpu)), -0.7, 0.7)
    total = np.asarray(times.total_ns * np.exp(change))
    flops = 2 * problems.m * problems.n * problems.k
    return np.asarray(np.maximum(total, least_ns(flops, "bf16", gpu))) if limited else total


def fit_all() -> None:
    """Write gemm.json and one file of trees a GPU."""
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    content.setdefault("uncertainty", {})
    for gpu_id in SOURCES:
        gpu, rows = find_gpu(gpu_id), table(gpu_id)
        seen = rows.filter(~test_rows(rows))
        fitted = fit_roofline([(gpu, seen.sample(_FIT_ROWS, seed=0))])
        trees = correction([(gpu, seen)], {gpu_id: fitted})
        PARAMETERS.joinpath(f"gemm_{gpu_id}.npz").write_bytes(trees.dump())
        content["tensor"][gpu_id] = asdict(fitted)
        content["tensor"].setdefault(gpu.architecture, asdict(fitted))
        found = evaluate(gpu_id, fitted, trees)
        content["uncertainty"][gpu_id] = round(max(0.03, found.p90 / 1.645), 3)
        print(f"gemm {gpu_id}: {found.as_row()}", flush=True)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    fit_limits()


def fit_limits() -> None:
    """Into gemm.json: the share of the peak that hardly any large product went beyond."""
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    content["most_share"] = {gpu_id: _most_share(gpu_id) for gpu_id in SOURCES}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _most_share(gpu_id: str) -> float:
    gpu, rows = find_gpu(gpu_id), table(gpu_id)
    seen = rows.filter(~test_rows(rows))
    problems = as_problems(seen)
    flops = 2 * problems.m * problems.n * problems.k
    share = flops / measured_ns(seen) * NS_PER_S / gpu.flops_per_s["bf16"]
    return round(float(np.quantile(share[flops > _LARGE], 0.995)), 3)


def evaluate(
    gpu_id: str, fitted: RooflineParameters, trees: Trees | None, limited: bool = True
) -> Accuracy:
    """On the shapes kept from the fit."""
    gpu, rows = find_gpu(gpu_id), table(gpu_id)
    unseen = rows.filter(test_rows(rows))
    return accuracy(predict(unseen, gpu, fitted, trees, limited), measured_ns(unseen))


def sustained(gpu_id: str) -> tuple[float, float]:
    """FLOP/s of large even products that last up to 3 ms, and of those from 10 ms on.

    The latter keep the board busy until its power limit lowers the clock.
    """
    rows = table(gpu_id)
    problems, times = as_problems(rows), measured_ns(rows)
    large = (problems.m >= 2048) & (problems.n >= 4096) & (problems.k >= 2048)
    even = (problems.m % 256 == 0) & (problems.n % 256 == 0) & (problems.k % 256 == 0)
    rate = 2 * problems.m * problems.n * problems.k / times * NS_PER_S
    short = (times > 0.3 * NS_PER_MS) & (times < 3 * NS_PER_MS)
    chosen = (large & even & short, large & even & (times > 10 * NS_PER_MS))
    return float(np.median(rate[chosen[0]])), float(np.median(rate[chosen[1]]))


def neighbours(gpu_id: str) -> Accuracy | None:
    """Products of 3 to 6 rows against the mean of those with a row more and a row less.

    All read the same weights and have one tile of rows: what differs is the library's choice of a
    kernel, and noise. No smooth model comes closer than the measurements do among themselves.
    None where numbers of rows lie further apart.
    """
    times = {(m, n, k): time for m, n, k, time in table(gpu_id).select(_SIZES).iter_rows()}
    found, measured = [], []
    for (m, n, k), time in times.items():
        beside = [times.get((m + step, n, k)) for step in (-1, 1)]
        if m in _FEW_ROWS and beside[0] and beside[1]:
            found.append((beside[0] + beside[1]) / 2)
            measured.append(time)
    return accuracy(np.array(found), np.array(measured)) if found else None


def leave_one_out(gpu_id: str) -> tuple[Accuracy, Accuracy]:
    """Roofline, and roofline with trees, of a GPU that took no part in either."""
    others = {other: table(other) for other in SOURCES if other != gpu_id}
    seen = [
        (find_gpu(other), rows.filter(~test_rows(rows)).sample(_POOL_ROWS, seed=0))
        for other, rows in others.items()
    ]
    joint = fit_roofline([(gpu, rows.head(1000)) for gpu, rows in seen])
    own = {gpu.id: joint for gpu, _ in seen}
    trees = correction(seen, own, trees=150, leaves=15)
    return evaluate(gpu_id, joint, None), evaluate(gpu_id, replace(joint), trees, limited=False)
