"""What the host takes at the places of a step: recordings of other recipes share most of them."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from maya.simulator.collate import Job
from maya.simulator.lower import RankCalls
from maya.simulator.places import call_kinds, places_of

Nanoseconds = Annotated[float, Field(ge=1e-9, le=1e18)]


@dataclass(frozen=True, slots=True)
class PlaceCost:
    """One place: its hash is the same in every recording."""

    place: Annotated[int, Field(ge=0, lt=2**64)]
    pass_ns: Nanoseconds
    total_ns: Nanoseconds  # all passes that are simulated


def place_costs(job: Job, most: int) -> tuple[PlaceCost, ...]:
    """The dearest places of the first rank's steps. Its passes were pooled with other ranks'."""
    calls = job.ranks[0]
    kept = _asked_by_the_program(calls)
    places = places_of(calls.rows.take(kept), call_kinds(job.captures[:1])[0])
    known, number, passes = np.unique(places, return_inverse=True, return_counts=True)
    total_ns = np.bincount(number, calls.host_ns[kept], minlength=len(known))
    dearest = np.argsort(-total_ns, kind="stable")[:most]
    return tuple(
        PlaceCost(int(known[i]), float(total_ns[i] / passes[i]), float(total_ns[i]))
        for i in dearest
        if total_ns[i] > 0
    )


def _asked_by_the_program(calls: RankCalls) -> npt.NDArray[np.int64]:
    """Without the nodes of graphs, which share the event of their launch."""
    first = np.diff(calls.rows.event, prepend=-1) != 0
    return np.flatnonzero(first & (calls.rows.definition >= 0))
