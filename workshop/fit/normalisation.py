"""Batch normalisation of cuDNN in PyTorch's profiler traces of ResNet-50 on V100, fp32."""

import json
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.cost import floor_ns
from maya.estimate.library.normalisation import NormCost, planes_ns
from maya.hardware import find_gpu
from workshop.fit.dataset import read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
DIRECTIONS = ("fwd", "bwd")
_GPU = "v100-32"
_TRACE = "resnet50_num_workers_0__worker0.1623143089861.kernels.csv.gz"
_KERNELS = {"fwd": "cudnn::bn_fw_tr_1C11", "bwd": "cudnn::bn_bw_1C11"}
_BOUNDS = ((0.5, 0.4, 2e9), (1.0, 1.0, 100e9))


@dataclass(frozen=True, slots=True)
class Sample:
    """The median over the calls of one shape."""

    channels: int
    values: int  # of a channel, over the batch
    time_ns: float


def samples(direction: str) -> list[Sample]:
    """Shapes and times of one pass."""
    rows = read_table("kineto_traces", _TRACE)
    ours = rows.filter(pl.col("kernel_or_copy").str.contains(_KERNELS[direction], literal=True))
    found = []
    for (dims,), group in ours.group_by("input_dims", maintain_order=True):
        batch, channels, height, width = json.loads(str(dims))[0]
        median_us = float(np.median(group["dur_us"].to_numpy()))
        found.append(Sample(channels, batch * height * width, median_us * 1e3))
    return found


def predict(rows: list[Sample], direction: str, cost: NormCost) -> Array:
    """What the estimator would say."""
    gpu = find_gpu(_GPU)
    channels = np.array([float(row.channels) for row in rows])
    values = np.array([float(row.values) for row in rows])
    busy: Array = np.asarray(planes_ns(channels, values, 4.0, direction, gpu, cost))
    return floor_ns(gpu) + busy


def fit(rows: list[Sample], direction: str) -> NormCost:
    """Three numbers."""
    from scipy.optimize import least_squares

    times = np.array([row.time_ns for row in rows])

    def residuals(point: Array) -> Array:
        found = predict(rows, direction, NormCost(*point.tolist()))
        return np.asarray(np.log(found / times))

    first = list(asdict(NormCost()).values())
    found = least_squares(
        residuals, first, bounds=_BOUNDS, x_scale=(1, 1, 1e10), loss="soft_l1", f_scale=0.1
    )
    return NormCost(*(float(f"{value:.3g}") for value in found.x))


def fit_all() -> None:
    """Into normalisation.json."""
    content = {direction: asdict(fit(samples(direction), direction)) for direction in DIRECTIONS}
    path = PARAMETERS / "normalisation.json"
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, result in evaluate().items():
        print(f"{name}: {result.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """Each shape by a fit to the others: a dozen shapes are too few to keep some for good."""
    result = {}
    for direction in DIRECTIONS:
        rows = samples(direction)
        found = [
            float(
                predict(
                    [row], direction, fit([other for other in rows if other != row], direction)
                )[0]
            )
            for row in rows
        ]
        times = np.array([row.time_ns for row in rows])
        result[f"v100-32 fp32 batch norm {direction}"] = accuracy(np.array(found), times)
    return result
