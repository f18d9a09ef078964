"""Convolutions against plain products: what each pass loses, from DeepBench and NeuSight."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.gemm.roofline import SWEPT, Problems, RooflineParameters, roofline
from maya.estimate.library.conv_problem import ConvProblem
from maya.estimate.library.convolution import ConvScale, conv_ns
from maya.hardware import Gpu, find_gpu
from maya.units import NS_PER_MS
from workshop.fit import deepbench
from workshop.fit.dataset import HELD_OUT, read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
Sample = tuple[ConvProblem, float]
PASSES = ("fprop", "dgrad", "wgrad")
KINDS = {"tensor": "fp16", "simt": "fp32"}
_PRIOR = 0.2
# Launch and events of DeepBench's harness on its host, beside the device's own floor: the same
# constant as its products show.
_FREE = {
    "tensor": ("efficiency", "tile", "memory", "launches", "narrow", "strided"),
    "simt": ("efficiency", "tile", "winograd"),
}
# No faster than a product; what is beyond two launches is no launch.
_BOUNDS = {
    "efficiency": (0.5, 1.0001),
    "tile": (0.3, 6.0),
    "memory": (0.5, 1.0001),
    "launches": (0.999, 2.0),
    "narrow": (1.0, 6.0),
    "strided": (0.999, 3.0),
    "winograd": (0.3, 1.5),
}
_OWN = "Tesla_V100-PCIE-32GB"  # NeuSight's measurements of the same GPU
_EVERY = 10  # of them: as many as DeepBench has
_NEUSIGHT = {"Tesla_V100-PCIE-32GB": "v100-32", "NVIDIA_A100_80GB_PCIe": "a100-pcie-80"}


def kept(problem: ConvProblem) -> bool:
    """One shape in five is never fitted."""
    key = (problem.n, problem.c, problem.k, problem.in_volume, problem.filter_volume)
    return zlib.crc32(",".join(map(str, key)).encode()) % HELD_OUT == 0


def fit_products() -> tuple[RooflineParameters, float]:
    """DeepBench's fp16 products on V100: the roofline's parameters, and the harness's constant."""
    from scipy.optimize import least_squares

    rows = [row for row in deepbench.products("fp16") if not _kept_product(row)]
    times = np.array([row.time_ns for row in rows])
    names = SWEPT
    first = np.log([getattr(RooflineParameters(), name) for name in names])

    def unpack(point: Array) -> RooflineParameters:
        return RooflineParameters(**dict(zip(names, np.exp(point).tolist(), strict=True)))

    def residuals(point: Array) -> Array:
        error = np.log(product_ns(rows, unpack(point)) / times)
        return np.concatenate([error, 0.1 * (point - first)])

    found = least_squares(residuals, first, loss="soft_l1", f_scale=0.05, diff_step=1e-2)
    rounded = {name: float(f"{np.exp(x):.4g}") for name, x in zip(names, found.x, strict=True)}
    floor = RooflineParameters().floor_ns
    harness_ns = max(0.0, rounded["floor_ns"] - floor)
    return RooflineParameters(**{**rounded, "floor_ns": floor}), round(harness_ns)


def _kept_product(row: deepbench.Product) -> bool:
    return zlib.crc32(f"{row.m},{row.n},{row.k}".encode()) % HELD_OUT == 0


def product_ns(rows: Sequence[deepbench.Product], fitted: RooflineParameters) -> Array:
    """Column-major m x n is row-major n x m."""
    columns = [np.array([float(getattr(row, name)) for row in rows]) for name in ("n", "m", "k")]
    problems = Problems(columns[0], columns[1], columns[2], np.ones(len(rows)), 2.0, 2.0)
    gpu = find_gpu(deepbench.GPU)
    return roofline(problems, gpu, gpu.flops_per_s["fp16"], fitted).total_ns


def fit_pass(
    samples: Sequence[Sample], gpu: Gpu, product: RooflineParameters, harness_ns: float, kind: str
) -> ConvScale:
    """A few factors, near one unless the measurements say otherwise."""
    from scipy.optimize import least_squares

    problems, times = [p for p, _ in samples], np.array([t for _, t in samples])
    rate, names = gpu.flops_per_s[KINDS[kind]], _FREE[kind]
    plain = ConvScale(narrow=1.0, winograd=0.7) if kind == "simt" else ConvScale()
    first = np.log([getattr(plain, name) for name in names])

    def unpack(point: Array) -> ConvScale:
        values = np.exp(point).tolist()
        return ConvScale(**{**asdict(plain), **dict(zip(names, values, strict=True))})

    def residuals(point: Array) -> Array:
        found = conv_ns(problems, gpu, rate, product, unpack(point)) + harness_ns
        return np.concatenate([np.log(found / times), _PRIOR * (point - first)])

    low, high = (np.log([_BOUNDS[name][side] for name in names]) for side in (0, 1))
    found = least_squares(residuals, first, bounds=(low, high), loss="soft_l1", f_scale=0.1)
    return unpack(np.round(found.x, 2))


def samples(kind: str, direction: str) -> list[Sample]:
    """DeepBench's convolutions of one pass."""
    every = deepbench.convolutions(KINDS[kind])
    return [(problem, time) for problem, time in every if problem.direction == direction]


def neusight(name: str) -> list[Sample]:
    """PyTorch's fp32 forward, 3 x 3, with algorithms that cuDNN's heuristics choose.

    Rows that stand far above the host's floor.
    """
    rows = read_table("neusight", "train", "collect", "conv", "p2.1.0", f"{name}.csv.gz")
    rows = rows.filter(pl.col("Latency") > 0.3)
    return [
        (_neusight_problem(row), row["Latency"] * NS_PER_MS) for row in rows.iter_rows(named=True)
    ]


def _products(kind: str) -> tuple[RooflineParameters, float]:
    """What was fitted for plain products on V100, and DeepBench's constant."""
    stored = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))
    values = dict(stored[kind][deepbench.GPU])
    values.pop("harness_ns", None)
    return RooflineParameters(**values), float(stored["tensor"][deepbench.GPU]["harness_ns"])


def fit_all() -> None:
    """Into gemm.json (V100's tensor cores) and convolution.json."""
    path = PARAMETERS / "gemm.json"
    content = json.loads(path.read_text("utf-8"))
    fitted, harness_ns = fit_products()
    values = asdict(fitted) | {"harness_ns": harness_ns}
    content["tensor"] |= {deepbench.GPU: values, "volta": values}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    path = PARAMETERS / "convolution.json"
    content = json.loads(path.read_text("utf-8"))
    gpu = find_gpu(deepbench.GPU)
    for kind in KINDS:
        product, harness_ns = _products(kind)
        content[kind] = {}
        for direction in PASSES:
            seen = [sample for sample in samples(kind, direction) if not kept(sample[0])]
            if (kind, direction) == ("simt", "fprop"):
                other = [sample for sample in neusight(_OWN) if not kept(sample[0])]
                seen += other[::_EVERY]
            content[kind][direction] = asdict(fit_pass(seen, gpu, product, harness_ns, kind))
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"{name}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """On the shapes kept from the fit, and on NeuSight's convolutions, which took no part."""
    gpu = find_gpu(deepbench.GPU)
    product, harness_ns = _products("tensor")
    rows = [row for row in deepbench.products("fp16") if _kept_product(row)]
    found = product_ns(rows, product) + harness_ns
    result = {"v100 fp16 products": accuracy(found, np.array([row.time_ns for row in rows]))}
    stored = json.loads((PARAMETERS / "convolution.json").read_text("utf-8"))
    for kind, precision in KINDS.items():
        product, harness_ns = _products(kind)
        for direction in PASSES:
            unseen = [sample for sample in samples(kind, direction) if kept(sample[0])]
            scale = ConvScale(**stored[kind][direction])
            rate = gpu.flops_per_s[precision]
            found = conv_ns([p for p, _ in unseen], gpu, rate, product, scale) + harness_ns
            name = f"v100 {precision} {direction}"
            result[name] = accuracy(found, np.array([time for _, time in unseen]))
    return result | _neusight(ConvScale(**stored["simt"]["fprop"]))


def _neusight(scale: ConvScale) -> dict[str, Accuracy]:
    """The fifth of V100 that was kept, and a GPU that took no part."""
    stored = json.loads((PARAMETERS / "gemm.json").read_text("utf-8"))["simt"]
    result = {}
    for name, gpu_id in _NEUSIGHT.items():
        gpu = find_gpu(gpu_id)
        unseen = [sample for sample in neusight(name) if kept(sample[0])]
        values = dict(stored.get(gpu_id) or stored[gpu.architecture])
        values.pop("harness_ns", None)
        rate = gpu.flops_per_s["fp32"]
        found = conv_ns([p for p, _ in unseen], gpu, rate, RooflineParameters(**values), scale)
        measured = np.array([time for _, time in unseen])
        result[f"{gpu_id} fp32 fprop, NeuSight"] = accuracy(found, measured)
    return result


def _neusight_problem(row: dict[str, int]) -> ConvProblem:
    side, width = int(row["Input_Size"]), int(row["Kernel_Szie"])
    out = (side + 2 * int(row["Padding"]) - width) // int(row["Stride"]) + 1
    return ConvProblem(
        "fprop", int(row["B"]), int(row["Input_Channel"]), int(row["Output_Channel"]), 1, side**2,
        out**2, width**2, int(row["Stride"]) ** 2, 4.0, "fp32", False,
    )  # fmt: skip
