"""All feasible points of a search file, found before anything is emulated."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from maya.errors import MayaError
from maya.hardware import Cluster
from maya.recipe_search.space.expressions import Expression, Scalar
from maya.recipe_search.space.file import SearchFile
from maya.units import GIB

CLUSTER_FACTS = ("gpus", "per_node", "nodes", "gpu", "gpu_memory_gib")
LARGEST = 2_000_000  # combinations that we are ready to walk through
OFF = -1  # coordinate of a knob that its `when` turns off
Values = dict[str, Scalar]


@dataclass(frozen=True, slots=True)
class Point:
    """One recipe: a cluster and a value for every knob."""

    cluster: str
    knobs: Mapping[str, Scalar] = field(compare=False)
    coordinates: tuple[int, ...]  # cluster, then each knob's place among its values

    @property
    def identity(self) -> str:
        """The same for the same recipe, in every process and on every machine."""
        text = json.dumps([self.cluster, sorted(self.knobs.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def label(self) -> str:
        """For people."""
        return ", ".join(f"{name}={value}" for name, value in self.knobs.items())


class Space:
    """The knobs of a file over its clusters."""

    def __init__(self, file: SearchFile, clusters: Mapping[str, Cluster]) -> None:
        self.file = file
        self.clusters = dict(clusters)
        self.names = tuple(file.knobs)
        self.values = {name: knob.values() for name, knob in file.knobs.items()}
        self._whens = {n: Expression(k.when) for n, k in file.knobs.items() if k.when}
        self._derived = {name: Expression(text) for name, text in file.derived.items()}
        self._constraints = [Expression(text) for text in file.constraints]
        self.removed: Counter[str] = Counter()
        self._check_names()

    @property
    def combinations(self) -> int:
        """Before constraints, every knob on."""
        return len(self.clusters) * prod(len(values) for values in self.values.values())

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Every feasible point, in a fixed order; there is at least one."""
        if self.combinations > LARGEST:
            raise MayaError(
                f"the space has {self.combinations:,} combinations, more than {LARGEST:,}",
                hint="take fewer values a knob",
            )
        points = {point.identity: point for point in self._walk(self._constraints, self.removed)}
        if not points:
            raise MayaError("no recipe satisfies the constraints", hint=self._why_empty())
        return tuple(points.values())

    @cached_property
    def by_identity(self) -> dict[str, Point]:
        """To find a point again."""
        return {point.identity: point for point in self.points}

    def scope(self, point: Point) -> Values:
        """Everything that an expression may name, at this point."""
        scope = self._facts(point.cluster) | dict(point.knobs)
        for name, expression in self._derived.items():
            scope[name] = expression.evaluate(scope)
        return scope

    def is_on(self, point: Point, knob: str) -> bool:
        """Whether the knob is turned at this point."""
        return point.coordinates[1 + self.names.index(knob)] != OFF

    def find(self, recipe: Mapping[str, Scalar]) -> list[Point]:
        """The feasible points with these values; knobs and cluster not named are free."""
        return [
            point
            for point in self.points
            if all(
                (point.cluster if name == "cluster" else point.knobs.get(name)) == value
                for name, value in recipe.items()
            )
        ]

    def _facts(self, cluster: str) -> Values:
        found = self.clusters[cluster]
        facts: Values = {
            "gpus": found.gpus,
            "per_node": found.per_node,
            "nodes": found.nodes,
            "gpu": found.gpu.id,
            "gpu_memory_gib": found.gpu.total_memory_bytes / GIB,
        }
        return facts | self.file.constants

    def _walk(self, constraints: list[Expression], removed: Counter[str]) -> Iterator[Point]:
        for number, cluster in enumerate(self.clusters):
            scope = self._facts(cluster)
            waiting = list(self._derived.items()), list(constraints)
            for coordinates, values in self._turn(0, scope, waiting, removed):
                knobs = {name: values[name] for name in self.names}
                yield Point(cluster, knobs, (number, *coordinates))

    def _turn(
        self,
        depth: int,
        scope: Values,
        waiting: tuple[list[tuple[str, Expression]], list[Expression]],
        removed: Counter[str],
    ) -> Iterator[tuple[tuple[int, ...], Values]]:
        """Give one knob after the other its values, leaving as soon as a constraint fails."""
        derived, constraints = waiting
        scope, derived = _derive(scope, derived)
        ready = [c for c in constraints if c.names <= scope.keys()]
        for constraint in ready:
            if not constraint.evaluate(scope):
                rest = (len(self.values[name]) for name in self.names[depth:])
                removed[constraint.text] += prod(rest)
                return
        if depth == len(self.names):
            yield (), scope
            return
        below = derived, [c for c in constraints if c not in ready]
        for place, value in self._choices(depth, scope):
            inner = scope | {self.names[depth]: value}
            for coordinates, values in self._turn(depth + 1, inner, below, removed):
                yield (place, *coordinates), values

    def _choices(self, depth: int, scope: Values) -> list[tuple[int, Scalar]]:
        name = self.names[depth]
        when = self._whens.get(name)
        if when is not None and not when.evaluate(scope):
            otherwise = self.file.knobs[name].otherwise
            assert otherwise is not None
            return [(OFF, otherwise)]
        return list(enumerate(self.values[name]))

    def _check_names(self) -> None:
        """Unknown or clashing names are told before anything is evaluated."""
        bound = {*CLUSTER_FACTS, *self.file.constants}
        for name in (*self.file.constants, *self.names, *self._derived):
            if name in CLUSTER_FACTS or not name.isidentifier() or name == "cluster":
                raise MayaError(f"{name!r} cannot name a value", hint="it is taken, or no name")
        known = bound | set(self.names) | set(self._derived)
        for where, expression in self._expressions():
            if unknown := sorted(expression.names - known):
                raise MayaError(
                    f"{where} `{expression.text}` names {unknown[0]!r}, but nothing has this name",
                    hint=f"known: {', '.join(sorted(known))}",
                )
        for name in self.names:
            reachable = self._reachable(bound)
            if name in self._whens and (late := self._whens[name].names - reachable):
                raise MayaError(
                    f"when of {name!r} names {min(late)!r}, which is defined after it",
                    hint=f"put {min(late)!r} first",
                )
            bound.add(name)
        if stuck := sorted(set(self._derived) - self._reachable(bound)):
            raise MayaError(f"derived value {stuck[0]!r} needs itself or a later one")

    def _reachable(self, bound: set[str]) -> set[str]:
        found = set(bound)
        for name, expression in self._derived.items():
            if expression.names <= found:
                found.add(name)
        return found

    def _expressions(self) -> Iterator[tuple[str, Expression]]:
        yield from ((f"when of {name!r}", when) for name, when in self._whens.items())
        yield from ((f"derived value {name!r}", text) for name, text in self._derived.items())
        yield from (("constraint", constraint) for constraint in self._constraints)
        if self.file.tokens_per_step is not None:
            yield "tokens_per_step", Expression(self.file.tokens_per_step)

    def _why_empty(self) -> str:
        """Which constraint empties the space: alone, or with the others."""
        for constraint in self._constraints:
            if not any(self._walk([constraint], Counter())):
                return f"`{constraint.text}` alone excludes every combination"
        freed = {}
        for constraint in self._constraints:
            others = [other for other in self._constraints if other is not constraint]
            freed[constraint.text] = sum(1 for _ in self._walk(others, Counter()))
        best = max(freed, key=lambda text: freed[text])
        if freed[best]:
            return f"without `{best}` there would be {freed[best]:,}"
        return "several constraints exclude each other: " + "; ".join(f"`{c}`" for c in freed)


def _derive(
    scope: Values, waiting: list[tuple[str, Expression]]
) -> tuple[Values, list[tuple[str, Expression]]]:
    """Compute what can be computed; what is left waits for more knobs."""
    scope, left = dict(scope), []
    for name, expression in waiting:
        if expression.names <= scope.keys():
            scope[name] = expression.evaluate(scope)
        else:
            left.append((name, expression))
    return scope, left


def tokens_per_step(space: Space, point: Point) -> float | None:
    """How much a step trains on, if the file says so."""
    text: Any = space.file.tokens_per_step
    return None if text is None else float(Expression(text).evaluate(space.scope(point)))
