"""The operator tables as cases."""

from collections.abc import Callable

from workshop.measurements.store import Measurements
from workshop.operators.case import Case
from workshop.operators.sources import cudnn_norms, flagperf, kernelbench, liger

SOURCES: dict[str, Callable[[Measurements], list[Case]]] = {
    "kernelbench": kernelbench.cases,
    "liger": liger.cases,
    "cudnn_norms": cudnn_norms.cases,
    "flagperf": flagperf.cases,
}


def find_cases(data: Measurements) -> list[Case]:
    """Of all sources."""
    return [case for read in SOURCES.values() for case in read(data)]
