"""Which point to try next.

A proposal depends on the seed, on its number, and on the trials at least `lag` numbers before it,
on nothing else: so a search that was killed continues as if it had not been. The sampler is one of
Optuna's and lives in memory; what it suggests is moved to the nearest point that is feasible, new
and not ruled out.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from maya.recipe_search.choice.history import Done, losses, raw_losses
from maya.recipe_search.space.file import Sampler
from maya.recipe_search.space.space import OFF, Point, Space

STARTUP = 8  # points spread over the space before the sampler decides
_SPREAD = 24  # random candidates for each of them
_UNTOLD = 1e12  # loss of a recipe that is no answer, while none is
Skip = Callable[[Point], bool]


class Proposer:
    """Called with rising numbers only."""

    def __init__(
        self, space: Space, sampler: Sampler, seed: int, known_good: Sequence[Point]
    ) -> None:
        self._space = space
        self._name = sampler
        self._seed = seed
        self._first = list(known_good)
        self._open = {point.identity: point for point in space.points}
        self._weights = _ranges(space)
        self._study = optuna.create_study(
            sampler=_sampler(sampler, seed, len(space.points)),
            directions=["minimize"] * len(space.file.objectives),
        )
        self._asked: dict[int, optuna.Trial] = {}  # by our number, until its result is told
        self._worst: list[float] | None = None

    def told(self, done: Done) -> None:
        """Learn a result; in order of numbers."""
        found = losses(done, self._space.file)
        if found is not None:
            self._worst = [max(p) for p in zip(found, self._worst or found, strict=True)]
        values = found or self._penalty(done)
        asked = self._asked.pop(done.number, None)
        if asked is not None and self._name in ("cmaes", "nsga2"):
            # These keep a population of what they asked: the repaired point answers for it.
            self._study.tell(asked, values)
            return
        if asked is not None:
            self._study.tell(asked, state=TrialState.FAIL)
        self._study.add_trial(
            optuna.create_trial(
                values=values, params=self._params(done.point), distributions=self._distributions()
            )
        )

    def _penalty(self, done: Done) -> list[float]:
        """Worse than any answer; a recipe that only breaks a limit still shows the way."""
        raw = raw_losses(done, self._space.file)
        if raw is not None and done.outcome.status == "hopeless":
            return raw
        if raw is not None:
            return [value + 10 * abs(value) for value in raw]
        worst = self._worst or [_UNTOLD] * len(self._space.file.objectives)
        return [100 * abs(value) for value in worst]

    def propose(self, number: int, skip: Skip) -> Point | None:
        """A new point; None when every point is taken or ruled out."""
        while self._first:
            known = self._first.pop(0)
            if known.identity in self._open and not skip(known):
                return self._take(known)
        point = self._choose(number, [p for p in self._open.values() if not skip(p)])
        return self._take(point) if point else None

    def retake(self, number: int, point: Point, skip: Skip) -> None:
        """Go through the motions of a proposal whose point is known from an earlier process."""
        if self.propose(number, skip) != point:
            # The code or its libraries have changed since: the old choice stands.
            self._open.pop(point.identity, None)

    def _take(self, point: Point) -> Point:
        self._open.pop(point.identity, None)
        return point

    def _choose(self, number: int, candidates: list[Point]) -> Point | None:
        if not candidates:
            return None
        dice = random.Random(f"{self._seed} {number}")
        if self._name == "grid":
            return candidates[0]
        if self._name == "random":
            return dice.choice(candidates)
        if number < STARTUP and self._name == "tpe":
            return self._spread(dice, candidates)
        trial = self._study.ask(self._distributions())
        self._asked[number] = trial
        return self._nearest(trial.params, candidates, dice)

    def _spread(self, dice: random.Random, candidates: list[Point]) -> Point:
        """Of a few random points, the one farthest from all that are taken."""
        taken = [p for p in self._space.points if p.identity not in self._open]
        drawn = dice.sample(candidates, min(_SPREAD, len(candidates)))
        if not taken:
            return drawn[0]
        return max(drawn, key=lambda p: min(self._distance(p, other) for other in taken))

    def _nearest(
        self, params: dict[str, Any], candidates: list[Point], dice: random.Random
    ) -> Point:
        wanted = tuple(int(params.get(name, 0)) for name in ("cluster", *self._space.names))
        near = [(self._far(wanted, _filled(p.coordinates)), p) for p in candidates]
        least = min(distance for distance, _ in near)
        return dice.choice([point for distance, point in near if distance == least])

    def _distance(self, a: Point, b: Point) -> float:
        return self._far(_filled(a.coordinates), _filled(b.coordinates))

    def _far(self, a: tuple[int, ...], b: tuple[int, ...]) -> float:
        """Steps between places; unordered knobs are one step apart."""
        far = 0.0
        for x, y, (size, ordered) in zip(a, b, self._weights, strict=True):
            if x != y:
                far += 1.0 + (abs(x - y) / size if ordered else 1.0)
        return far

    def _params(self, point: Point) -> dict[str, int]:
        names = ("cluster", *self._space.names)
        pairs = zip(names, _filled(point.coordinates), strict=True)
        return {name: place for name, place in pairs if name in self._distributions()}

    def _distributions(self) -> dict[str, BaseDistribution]:
        """Places among the values; a knob with one value needs no sampler."""
        names = ("cluster", *self._space.names)
        return {
            name: IntDistribution(0, size - 1)
            if ordered
            else CategoricalDistribution(tuple(range(size)))
            for name, (size, ordered) in zip(names, self._weights, strict=True)
            if size > 1
        }


def _ranges(space: Space) -> list[tuple[int, bool]]:
    """For the cluster and each knob: how many values, and whether their order means something."""
    found = [(len(space.clusters), False)]
    for name in space.names:
        values = space.values[name]
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        declared = space.file.knobs[name].memory is not None
        found.append((len(values), numbers or declared or len(values) == 2))
    return found


def _filled(coordinates: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(place, 0) if place == OFF else place for place in coordinates)


def _sampler(name: Sampler, seed: int, points: int) -> optuna.samplers.BaseSampler:
    match name:
        case "tpe":
            return optuna.samplers.TPESampler(
                seed=seed, multivariate=True, constant_liar=True, n_startup_trials=STARTUP
            )
        case "cmaes":
            return optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)
        case "nsga2":
            return optuna.samplers.NSGAIISampler(
                seed=seed, population_size=max(4, min(24, points // 8))
            )
        case "grid" | "random":
            return optuna.samplers.RandomSampler(seed=seed)
