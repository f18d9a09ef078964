"""Convolutions of planar tensors in TF32, forward and transposed, from KernelBench."""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.estimate.cost import floor_ns, memory_ns
from maya.estimate.gemm.estimator import gemm_estimate
from maya.estimate.gemm.problem import GemmProblem
from maya.estimate.library.conv_problem import ConvProblem
from maya.estimate.library.convolution import conv_estimate
from maya.estimate.library.planar import VOLUME, PlanarShares, is_planar, planar_ns
from maya.hardware import find_gpu
from maya.units import NS_PER_MS
from workshop.fit.dataset import HELD_OUT
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.kernelbench import Layer, Timing, convolutions, timings, volume
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_LEAST_MS = 0.2  # shorter calls show the host
_LEAST_FUSED_MS = 1.0  # of several launches
_LEAST_SHARE = 0.4  # of a call, that must be the convolution's
_HARNESS_NS = 10_000.0  # events around a call: a launch's latency
_OWN = ("plane", "volume")  # of each architecture; the rest is of all
_COMMON = ("few", "few_volume", "grouped", "channels", "memory")
_START = {
    "plane": 0.8, "volume": 0.2, "few": 0.5, "few_volume": 0.25, "grouped": 0.15, "channels": 64.0,
    "memory": 0.9,
}  # fmt: skip
_PRIOR = 0.05
_VGG = (
    (3, 64, 224), (64, 64, 224), (64, 128, 112), (128, 128, 112), (128, 256, 56),
    *((256, 256, 56),) * 3, (256, 512, 28), *((512, 512, 28),) * 3, *((512, 512, 14),) * 4,
)  # fmt: skip
_VGG_CLASSIFIER = ((4096, 25088), (4096, 4096), (1000, 4096))


@dataclass(frozen=True, slots=True)
class Sample:
    """Convolutions on a GPU, one or a network's, and the events' time without all else."""

    gpu: str
    problems: tuple[ConvProblem, ...]
    time_ns: float
    kept: bool  # one shape in five is never fitted

    @property
    def problem(self) -> ConvProblem:
        """The widest."""
        return max(self.problems, key=lambda problem: problem.c)

    @property
    def architecture(self) -> str:
        """Of its GPU."""
        return find_gpu(self.gpu).architecture


def samples() -> list[Sample]:
    """Those above the host's floor, in the current release of the library where it matters.

    cuDNN's kernels for three dimensions on Hopper became several times slower between the releases
    that were measured; the current one counts."""
    return [*_samples(), *_networks()]


def _samples() -> Iterator[Sample]:
    for timing, layer, walks in convolutions():
        problem = _problem(layer)
        outdated = problem.spatial >= VOLUME and not timing.current
        if timing.time_ms < (_LEAST_FUSED_MS if walks else _LEAST_MS) or timing.gpu == "t4":
            continue
        if outdated and find_gpu(timing.gpu).architecture == "hopper":
            continue
        whole_ns = timing.time_ms * NS_PER_MS - _HARNESS_NS
        time_ns = whole_ns - _behind_ns(layer, walks, timing.gpu)
        if time_ns > _LEAST_SHARE * whole_ns:
            yield Sample(timing.gpu, (problem,), time_ns, _kept(timing))


def _networks() -> Iterator[Sample]:
    """VGG19: the only many channels that were measured, with biases, activations and classifier."""
    for timing in timings("level3"):
        if timing.name == "VGG19" and timing.gpu != "t4":
            n = timing.constants["batch_size"]
            layers = tuple(
                ConvProblem("fprop", n, c, k, 1, side**2, side**2, 9, 1, 4.0, "tf32", False)
                for c, k, side in _VGG
            )
            time_ns = timing.time_ms * NS_PER_MS - _beside_ns(layers, n, timing.gpu)
            yield Sample(timing.gpu, layers, time_ns, False)


def _beside_ns(layers: Sequence[ConvProblem], n: int, gpu_id: str) -> float:
    """Biases and activations, which read and write each result, and the classifier."""
    gpu = find_gpu(gpu_id)
    results = (8.0 * n * layer.k * layer.out_volume for layer in layers)
    elementwise_ns = sum(2 * (floor_ns(gpu) + memory_ns(size, gpu)) for size in results)
    products = (GemmProblem(n, m, k, 1, "fp32", 4.0, 4.0) for m, k in _VGG_CLASSIFIER)
    return elementwise_ns + sum(gemm_estimate(product, gpu).duration_ns for product in products)


def _behind_ns(layer: Layer, walks: int, gpu_id: str) -> float:
    """Elementwise kernels that each read and write the result."""
    gpu, size = find_gpu(gpu_id), 4.0 * layer.n * layer.outs * volume(layer.result)
    return walks / 2 * (floor_ns(gpu) + memory_ns(2 * size, gpu))


def _kept(timing: Timing) -> bool:
    return zlib.crc32(timing.shape.encode()) % HELD_OUT == 0


def _problem(layer: Layer) -> ConvProblem:
    """A transposed convolution is the gradient of one whose input is its result."""
    size, result = volume(layer.size), volume(layer.result)
    channels, outs = layer.channels, layer.outs
    if layer.transposed:
        size, result, channels, outs = result, size, outs, channels
    return ConvProblem(
        "dgrad" if layer.transposed else "fprop", layer.n, channels, outs, layer.groups, size,
        result, volume(layer.filter), volume(layer.stride), 4.0, "tf32", False,
        max(2, len(layer.size)),
    )  # fmt: skip


def fit(rows: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """Robust least squares of logarithms: two shares an architecture, five numbers for all."""
    from scipy.optimize import least_squares

    rows = [row for row in rows if is_planar(row.problem)]
    names = sorted({row.architecture for row in rows})
    keys = [(name, key) for name in names for key in _OWN] + [("all", key) for key in _COMMON]
    first = np.log([_START[key] for _, key in keys])
    measured = np.log([row.time_ns for row in rows])

    def unpack(point: Array) -> dict[str, dict[str, float]]:
        table: dict[str, dict[str, float]] = {name: {} for name in (*names, "all")}
        for (name, key), value in zip(keys, np.exp(point), strict=True):
            table[name][key] = float(f"{value:.3g}")
        for key in _OWN:  # of an architecture that nobody measured
            logs = [np.log(table[name][key]) for name in names]
            table["all"][key] = float(f"{np.exp(np.mean(logs)):.3g}")
        return table

    def residuals(point: Array) -> Array:
        error = np.log(predict(rows, unpack(point))) - measured
        return np.concatenate([error, _PRIOR * (point - first)])

    found = least_squares(residuals, first, loss="soft_l1", f_scale=0.5, diff_step=2e-2)
    return unpack(found.x)


def predict(rows: Sequence[Sample], table: dict[str, dict[str, float]]) -> Array:
    """With a table of shares."""
    found = []
    for row in rows:
        shares = PlanarShares(**(table["all"] | table.get(row.architecture, {})))
        found.append(float(planar_ns(row.problems, find_gpu(row.gpu), shares).sum()))
    return np.array(found)


def fit_all() -> None:
    """Into convolution.json."""
    path = PARAMETERS / "convolution.json"
    content = json.loads(path.read_text("utf-8"))
    content["planar"] = fit([row for row in samples() if not row.kept])
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"{name}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """Fitted and kept shapes by kind, as estimated."""
    rows, result = samples(), {}
    for side in (False, True):
        for kind in ("product", "plane", "volume", "groups"):
            chosen = [row for row in rows if row.kept == side and _kind(row.problem) == kind]
            label = f"TF32 {kind}, {'kept' if side else 'fitted'}"
            if chosen:
                found = [_estimate_ns(row) for row in chosen]
                times = np.array([row.time_ns for row in chosen])
                result[label] = accuracy(np.array(found, dtype=np.float64), times)
    return result


def _estimate_ns(row: Sample) -> float:
    gpu = find_gpu(row.gpu)
    return float(sum(conv_estimate(problem, gpu).duration_ns for problem in row.problems))


def leave_one_out() -> dict[str, Accuracy]:
    """A GPU's planar convolutions with shares fitted to the others."""
    rows, result = [row for row in samples() if is_planar(row.problem)], {}
    for gpu in sorted({row.gpu for row in rows}):
        table = fit([row for row in rows if row.gpu != gpu and not row.kept])
        own = [row for row in rows if row.gpu == gpu]
        result[gpu] = accuracy(predict(own, table), np.array([row.time_ns for row in own]))
    return result


def _kind(problem: ConvProblem) -> str:
    if problem.filter_volume == 1:
        return "product"
    if problem.groups > 1:
        return "groups"
    return "volume" if problem.spatial >= VOLUME else "plane"
