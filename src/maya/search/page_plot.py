"""Time against money as a picture: one colour a cluster, the front joined by a line."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from maya.search.answer import Answer
from maya.search.front import Place, places
from maya.search.history import Done

_WIDTH, _HEIGHT = 760, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 24, 24, 52
_COLOURS = ("#2563eb", "#d97706", "#059669", "#9333ea", "#dc2626", "#0891b2")
_ROOM = 0.06  # of an axis, beyond its first and last value
_LOG_FROM = 8.0  # times the least; from there on most recipes would lie in one corner
_MOST_TICKS = 7


@dataclass(frozen=True, slots=True)
class Axis:
    """Values on a stretch of pixels, evenly or by their logarithm."""

    least: float
    most: float
    begin_px: float
    end_px: float
    log: bool

    def at(self, value: float) -> float:
        """The pixel of a value."""
        low, high, place = (self._bent(v) for v in (self.least, self.most, value))
        share = (place - low) / ((high - low) or 1.0)
        inside = _ROOM + share * (1 - 2 * _ROOM)
        return self.begin_px + inside * (self.end_px - self.begin_px)

    def ticks(self) -> list[float]:
        """Round values that the axis spans."""
        if self.log:
            powers = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
            found = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        else:
            step = _round_step((self.most - self.least) or self.most or 1.0)
            first = math.floor(self.least / step)
            found = [step * (first + i) for i in range(2 * _MOST_TICKS)]
        return [value for value in found if self.least <= value <= self.most]

    def _bent(self, value: float) -> float:
        return math.log(value) if self.log else value


def axis(values: Sequence[float], begin_px: float, end_px: float) -> Axis:
    """One that spans the values."""
    least, most = min(values), max(values)
    return Axis(least, most, begin_px, end_px, log=least > 0 and most > _LOG_FROM * least)


def _round_step(spread: float) -> float:
    """1, 2 or 5 times a power of ten, so that there are not too many of them."""
    power = 10.0 ** math.floor(math.log10(spread / _MOST_TICKS))
    return next(power * digit for digit in (1, 2, 5, 10) if spread / (power * digit) <= _MOST_TICKS)


def plot(answer: Answer) -> str:
    """The picture; nothing where there are fewer than two recipes with a price."""
    found = places(answer.ranked)
    placed = [(done, found.of[done.number]) for done in answer.ranked if done.number in found.of]
    if len(placed) < 2:
        return ""
    x = axis([at[0] for _, at in placed], _LEFT, _WIDTH - _RIGHT)
    y = axis([at[1] for _, at in placed], _HEIGHT - _BOTTOM, _TOP)
    clusters = sorted({done.point.cluster for done, _ in placed})
    front = {done.number for done in answer.front}
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="time against money">',
        *_grid(x, y, found.unit),
        _front_line(x, y, [at for done, at in placed if done.number in front]),
        *(_dot(x, y, done, at, clusters, done.number in front) for done, at in reversed(placed)),
        *(_legend(clusters) if len(clusters) > 1 else ()),
        "</svg>",
    ]
    return "\n".join(parts)


def _grid(x: Axis, y: Axis, unit: str) -> list[str]:
    low, high = _HEIGHT - _BOTTOM, _TOP
    lines = []
    for value in x.ticks():
        at = f"{x.at(value):.1f}"
        lines.append(f'<line x1="{at}" x2="{at}" y1="{low}" y2="{high}"/>')
        lines.append(f'<text x="{at}" y="{low + 18}" text-anchor="middle">{value:g}</text>')
    for value in y.ticks():
        at = f"{y.at(value):.1f}"
        lines.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at}" y2="{at}"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{at}" dy="4" text-anchor="end">${value:g}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    lines.append(
        f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">milliseconds a {unit}</text>'
    )
    lines.append(f'<text x="{_LEFT}" y="{_TOP - 9}">dollars a {unit}</text>')
    return lines


def _dot(x: Axis, y: Axis, done: Done, at: Place, clusters: Sequence[str], on_front: bool) -> str:
    colour = _COLOURS[clusters.index(done.point.cluster) % len(_COLOURS)]
    label = f"{done.point.cluster}: {done.point.label()}: {at[0]:.4g} ms, ${at[1]:.4g}"
    return (
        f'<circle cx="{x.at(at[0]):.1f}" cy="{y.at(at[1]):.1f}" r="{6 if on_front else 4}" '
        f'fill="{colour}" class="{"front" if on_front else "other"}">'
        f"<title>{escape(label)}</title></circle>"
    )


def _front_line(x: Axis, y: Axis, front: Sequence[Place]) -> str:
    points = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in sorted(front))
    return f'<polyline points="{points}"/>' if len(front) > 1 else ""


def _legend(clusters: Sequence[str]) -> list[str]:
    lines = []
    for place, cluster in enumerate(clusters):
        top = _TOP + 16 + 20 * place
        colour = _COLOURS[place % len(_COLOURS)]
        lines.append(
            f'<rect x="{_WIDTH - 150}" y="{top - 9}" width="10" height="10" fill="{colour}"/>'
        )
        lines.append(f'<text x="{_WIDTH - 134}" y="{top}">{escape(cluster)}</text>')
    return lines
