"""NVIDIA's published training throughput of image classifiers on DGX A100 (PyTorch 21.03)."""

import json

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_COUNT = 8
# The widened squeeze-and-excitation variants are in no library at hand, so their rows are left out.
_MODELS = (
    "resnet50",
    "resnext101-32x4d",
    "se-resnext101-32x4d",
    "efficientnet-b0",
    "efficientnet-b4",
)
_MOST_GPUS = 8
# Recipes for one GPU gather up to 32 micro-batches for an update: after eight its share is small.
_MOST_MICRO_BATCHES = 8


def cases(data: Measurements) -> list[Case]:
    """Rows that say how many GPUs they used, in one node."""
    sizes = {
        (row["model"], row["precision"]): row
        for row in read_rows(data, "nvidia_deeplearningexamples_convnets_batchsizes.csv")
        if row["platform"] == "DGXA100"
    }
    found = []
    for row in read_rows(data, "deeplearningexamples_convnets_a100.csv"):
        name = _model(row)
        gpus = int(row["gpus_or_nodes"] or 0)
        if name in _MODELS and 0 < gpus <= _MOST_GPUS:
            precision = "TF32" if row["precision"] == "TF32" else "AMP"
            found.append((name, precision, gpus, row, sizes[name, precision]))
    return [_case(*item, seen) for item, seen in spread(found, _COUNT)]


def _model(row: Row) -> str:
    folder = row["readme"].split("/")[-2]
    if folder == "resnet50v1.5":
        return "resnet50"
    named: str = json.loads(row["other_columns"] or "{}").get("Model", folder)
    return named


def _case(name: str, precision: str, gpus: int, row: Row, size: Row, seen: bool) -> Case:
    batch = int(size["batch_size_per_gpu"])
    wanted = max(1, int(size["optimizer_batch_size"]) // (batch * gpus))
    accumulate = min(wanted, _MOST_MICRO_BATCHES)
    images_per_s = float(row["throughput_raw"].split()[0].replace(",", ""))
    arguments = (
        *("--model", name, "--batch-size", str(batch)),
        *("--image-size", size["image_size"], "--accumulate", str(accumulate)),
        *(["--amp"] if precision == "AMP" else []),
    )
    return Case(
        source="convnets",
        name=f"{name} {precision} {batch}x{accumulate}",
        script="convnets.py",
        arguments=arguments,
        cluster=f"a100-80:{gpus}",
        measured_ms=1e3 * batch * gpus * accumulate / images_per_s,
        seen=seen,
    )
