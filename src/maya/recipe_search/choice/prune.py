"""Points that need not be tried, because a lighter one already ran out of memory.

The rules know nothing of frameworks: a knob is monotone because the file says so, or because every
pair of trials that differ in it alone has agreed so far.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from maya.recipe_search.choice.history import Done
from maya.recipe_search.space.space import OFF, Point, Space

ENOUGH_PAIRS = 4  # that agree, before a direction is taken as learnt


@dataclass(frozen=True, slots=True)
class Direction:
    """Along its values a knob needs more memory (+1) or less (-1)."""

    sign: int
    source: str  # "declared" or "learnt from N pairs"

    @property
    def verb(self) -> str:
        """For people."""
        return "rises" if self.sign > 0 else "falls"


class MemoryRules:
    """What the trials so far say of memory."""

    def __init__(self, space: Space, history: Sequence[Done]) -> None:
        self._space = space
        self._failed = [done for done in history if done.outcome.status == "oom"]
        self.directions = _declared(space) | _learnt(space, history)

    def reason(self, point: Point) -> str | None:
        """Why this point must run out of memory, if it must."""
        for done in self._failed:
            moved = self._moved(done.point, point)
            if moved:
                how = ", ".join(
                    f"{name} ({self.directions[name].verb}, {self.directions[name].source})"
                    for name in moved
                )
                return f"out of memory as trial {done.number}, which needs less: {how}"
        return None

    def _moved(self, light: Point, heavy: Point) -> list[str]:
        """The knobs by which `heavy` needs more; empty where that is not sure."""
        if not self._same_place(light.coordinates[0], heavy.coordinates[0]):
            return []
        moved = []
        for name, a, b in zip(
            self._space.names, light.coordinates[1:], heavy.coordinates[1:], strict=True
        ):
            if a == b:
                continue
            direction = self.directions.get(name)
            if direction is None or OFF in (a, b) or (b - a) * direction.sign < 0:
                return []
            moved.append(name)
        return moved

    def _same_place(self, a: int, b: int) -> bool:
        """The same number of the same GPUs: memory does not depend on more."""
        clusters = list(self._space.clusters.values())
        one, other = clusters[a], clusters[b]
        return (one.gpu, one.gpus, one.per_node) == (other.gpu, other.gpus, other.per_node)


def _declared(space: Space) -> dict[str, Direction]:
    return {
        name: Direction(1 if knob.memory == "rises" else -1, "declared")
        for name, knob in space.file.knobs.items()
        if knob.memory
    }


def _learnt(space: Space, history: Sequence[Done]) -> dict[str, Direction]:
    """Directions on which all pairs agree; a knob of the file's own word is not judged.

    One pair must have a recipe that fits beside one that does not: far from the limit, what a knob
    adds (a buffer for offload) may be more than what it will spare where memory is short.
    """
    found = {}
    for place, name in enumerate(space.names, start=1):
        if space.file.knobs[name].memory:
            continue
        changes = _changes(place, history)
        signs = {1 if change > 0 else -1 for change in changes}
        if len(changes) >= ENOUGH_PAIRS and len(signs) == 1 and any(map(math.isinf, changes)):
            found[name] = Direction(signs.pop(), f"learnt from {len(changes)} pairs")
    return found


def _changes(place: int, history: Sequence[Done]) -> list[float]:
    """For each pair of neighbours that differ in one knob: by how much memory changes along it."""
    groups: dict[tuple[int, ...], list[tuple[int, float]]] = defaultdict(list)
    for done in history:
        at = done.point.coordinates
        need = _need(done)
        if need is not None and at[place] != OFF:
            groups[at[:place] + at[place + 1 :]].append((at[place], need))
    pairs = (pair for group in groups.values() for pair in pairwise(sorted(group)))
    return [after - before for (_, before), (_, after) in pairs if after != before]


def _need(done: Done) -> float | None:
    if done.outcome.status == "oom":
        return float("inf")
    return done.outcome.metrics.get("peak_bytes") if done.outcome.status == "ok" else None
