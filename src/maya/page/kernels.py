"""The kernels of a step row by row: sizes, durations, how far to believe them, how fast they go."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from maya.analyze.predicting import Prediction
from maya.page.kinds import WorkKinds
from maya.page.work import RankWork
from maya.simulator.program import Op

MOST_ROWS = 3000


def kernel_rows(prediction: Prediction, kinds: WorkKinds) -> list[dict[str, Any]]:
    """Mean of a rank's step, as `kernels.json` counts, but one row for each size."""
    calls: dict[int, float] = defaultdict(float)
    times: dict[int, float] = defaultdict(float)
    job, timeline = prediction.job, prediction.timeline
    scale = prediction.steps * len(job.ranks)
    for index, own in enumerate(job.ranks):
        window = job.windows[index]
        first, last = np.searchsorted(own.rows.event, (window.boundaries[0], window.end))
        base = int(job.program.rank_begin[index])
        which = slice(base + int(first), base + int(last))
        lasted = timeline.end_ns[which] - timeline.start_ns[which]
        works = np.isin(job.program.calls.op[which], (Op.WORK, Op.COLLECTIVE))
        numbers = np.where(works, own.rows.definition[first:last], 0)
        found, inverse, count = np.unique(numbers, return_inverse=True, return_counts=True)
        total = np.bincount(inverse, weights=np.where(works, lasted, 0), minlength=len(found))
        for number, made, time_ns in zip(found.tolist(), count.tolist(), total, strict=True):
            if number > 0:
                kind = kinds.number(index, number)
                calls[kind] += made / scale
                times[kind] += float(time_ns) / 1e6 / scale
    rows = [
        {"k": kind, "calls": calls[kind], "ms": times[kind]}
        for kind in sorted(times, key=lambda k: -times[k])
    ]
    return rows[:MOST_ROWS]


def kind_rows(kinds: WorkKinds) -> list[dict[str, Any]]:
    """Everything that rows and lanes refer to by number."""
    return [
        {key: value for key, value in asdict(kind).items() if value not in ("", 0.0)}
        for kind in kinds.all
    ]


def roof(prediction: Prediction) -> dict[str, Any]:
    """What the GPU can do at best, for the lines of the roofline."""
    gpu = prediction.cluster.gpu
    return {
        "bandwidth": gpu.memory_bandwidth_bytes_per_s,
        "flops": {name: rate for name, rate in gpu.flops_per_s.items() if rate},
    }


def classes_of(work: RankWork, kinds: WorkKinds) -> Sequence[str]:
    """One for each piece of work."""
    return [kinds.class_of(work.index, number) for number in work.number.tolist()]
