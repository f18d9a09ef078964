"""Step times that were published for the same work of each GPU on few and on many of them.

NVIDIA's own recipes of NeMo were measured on up to 2,048 GPUs. What they lose from scale to scale
tells how far GPUs differ, though nobody has to repeat the step for it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from workshop.measurements.store import Measurements, Row
from workshop.validate.data import read_rows

SOURCE = "dgxc"
_TABLE = "dgxc_step_times.csv"
_OTHER_FRAMEWORKS = ("maxtext", "paxml")  # they shard further where there are more GPUs
_COLUMN = re.compile(r"(\d+)x? (H100|GB200) GPUs.*\(GBS=(\d+)\)")
_GENERATIONS = {"H100": "9.0", "GB200": "10.0"}


@dataclass(frozen=True, slots=True)
class Scales:
    """One recipe at its smallest and at its largest scale."""

    recipe: str
    generation: str
    fewest: int
    most: int
    growth: float  # of the step from the one to the other, relative


def published_scales(data: Measurements) -> list[Scales]:
    """Recipes that were measured at two scales or more."""
    found: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
    for row in read_rows(data, _TABLE):
        for key, gpus in _recipe(row):
            found[key][gpus] = float(row["step_time_s"])
    return [
        Scales(case, _GENERATIONS[gpu], min(at), max(at), at[max(at)] / at[min(at)] - 1)
        for (*_, case, gpu, _samples), at in found.items()
        if len(at) > 1
    ]


def _recipe(row: Row) -> Iterator[tuple[tuple[str, ...], int]]:
    """What does the same on each GPU, and on how many; nothing where the batch is not told."""
    told = _COLUMN.search(row["column"])
    if told is None or row["file"].startswith(_OTHER_FRAMEWORKS):
        return
    gpus, samples = int(told[1]), f"{int(told[3]) / int(told[1]):g}"
    yield (row["file"], row["version"], row["section"], row["case"], told[2], samples), gpus
