"""Where the device time of a step goes, by kernel and by collective."""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maya.analyze.kernel_class import name_of
from maya.analyze.predict import Prediction
from maya.errors import MayaError
from maya.rundir import names, write_whole
from maya.simulate.program import Op
from maya.trace.format import Kind


@dataclass(slots=True)
class Row:
    """One kernel, library call, copy or collective: mean of a rank's step."""

    name: str
    kind: str
    calls: float = 0.0
    time_ms: float = 0.0
    source: str = ""


def kernel_table(prediction: Prediction) -> list[Row]:
    """Rows with the most time first. Times are durations as simulated, overlap counted twice."""
    job, timeline = prediction.job, prediction.timeline
    rows: dict[tuple[str, str], Row] = {}
    shares: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    scale = prediction.steps * len(job.ranks)
    for rank, calls in enumerate(job.ranks):
        window = job.windows[rank]
        first, last = np.searchsorted(calls.rows.event, (window.boundaries[0], window.end))
        base = int(job.program.rank_begin[rank])
        which = slice(base + int(first), base + int(last))
        lasted = timeline.end_ns[which] - timeline.start_ns[which]
        works = np.isin(job.program.calls.op[which], (Op.WORK, Op.COLLECTIVE))
        numbers = np.where(works, calls.rows.definition[first:last], 0)
        found, inverse, count = np.unique(numbers, return_inverse=True, return_counts=True)
        times = np.bincount(inverse, weights=np.where(works, lasted, 0), minlength=len(found))
        for number, calls_made, time_ns in zip(found.tolist(), count, times, strict=True):
            if number <= 0:
                continue
            definition = job.captures[rank].definition(number)
            key = (name_of(definition), Kind(definition.kind).name.lower())
            row = rows.setdefault(key, Row(*key))
            row.calls += float(calls_made) / scale
            row.time_ms += float(time_ns) / 1e6 / scale
            estimate = job.meanings[rank].estimates.get(number)
            shares[key][str(estimate.source) if estimate else "learned"] += float(time_ns)
    for key, row in rows.items():
        row.source = max(shares[key], key=lambda source: shares[key][source])
    return sorted(rows.values(), key=lambda row: (-row.time_ms, row.name))


def write_table(directory: Path, rows: list[Row]) -> None:
    """Keep the table for `maya report` and `maya diff`."""
    text = json.dumps([asdict(row) for row in rows], indent=1)
    write_whole(directory / names.KERNELS, text + "\n")


def read_table(directory: Path) -> list[Row]:
    """The table that a prediction left."""
    try:
        loaded: list[dict[str, Any]] = json.loads((directory / names.KERNELS).read_text("utf-8"))
        return [Row(**row) for row in loaded]
    except (OSError, ValueError, TypeError) as error:
        raise MayaError(
            f"{directory} holds no {names.KERNELS} that can be read", hint="predict it again"
        ) from error
