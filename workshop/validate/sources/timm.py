"""timm's own training benchmark on an RTX 3090: AMP, PyTorch 1.12, both memory formats."""

from functools import partial

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_FILE = "timm_benchmark_train_amp_{layout}_pt112_cu113_rtx3090.csv.gz"
_COUNT = 16  # a memory format, and as many unseen


def cases(data: Measurements, layout: str) -> list[Case]:
    """Models evenly over the alphabet, which spreads them over families."""
    rows = sorted(read_rows(data, _FILE.format(layout=layout)), key=lambda row: row["model"])
    return [_case(row, layout, seen) for row, seen in spread(rows, _COUNT)]


nchw = partial(cases, layout="nchw")
nhwc = partial(cases, layout="nhwc")


def _case(row: Row, layout: str, seen: bool) -> Case:
    arguments = (
        *("--model", row["model"]),
        *("--batch-size", row["train_batch_size"]),
        *("--img-size", row["train_img_size"]),
        *(["--channels-last"] if layout == "nhwc" else []),
    )
    return Case(
        source=f"timm-{layout}",
        name=f"{row['model']} x{row['train_batch_size']}",
        script="timm_benchmark.py",
        arguments=arguments,
        cluster="rtx3090:1",
        measured_ms=float(row["train_step_time"]),
        seen=seen,
    )
