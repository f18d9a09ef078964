"""Where the device time of a step goes, by kernel and by collective."""

from collections import defaultdict

import numpy as np

from maya.analyze.predicting import Prediction
from maya.simulator.program import Op
from maya.summary import KernelRow
from maya.trace.format import Kind
from maya.trace.kernel_class import name_of


def kernel_table(prediction: Prediction) -> tuple[KernelRow, ...]:
    """Rows with the most time first. Times are durations as simulated, overlap counted twice."""
    job, timeline = prediction.job, prediction.timeline
    calls_of: dict[tuple[str, str], float] = defaultdict(float)
    time_of: dict[tuple[str, str], float] = defaultdict(float)
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
            calls_of[key] += float(calls_made) / scale
            time_of[key] += float(time_ns) / 1e6 / scale
            estimate = job.definition_tables[rank].estimates.get(number)
            shares[key][str(estimate.source) if estimate else "learned"] += float(time_ns)
    rows = [
        KernelRow(*key, calls_of[key], time_of[key], max(by_source, key=lambda s: by_source[s]))
        for key, by_source in shares.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.time_ms, row.name)))
