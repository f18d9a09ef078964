"""The front between time and money, drawn with characters."""

from collections.abc import Sequence

_WIDTH, _HEIGHT = 60, 14


def plot(
    points: Sequence[tuple[float, float]], front: Sequence[bool], unit: str = "step"
) -> list[str]:
    """Lines of text: `*` on the front, `.` elsewhere; both axes from least to most."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    rows = [[" "] * _WIDTH for _ in range(_HEIGHT)]
    for (x, y), best in sorted(zip(points, front, strict=True), key=lambda item: item[1]):
        column = _cell(x, xs, _WIDTH)
        row = _HEIGHT - 1 - _cell(y, ys, _HEIGHT)
        rows[row][column] = "*" if best else "."
    lines = [f"{'':>10} | {''.join(row)}" for row in rows]
    lines[0] = f"{max(ys):>10.3g} | {''.join(rows[0])}"
    lines[-1] = f"{min(ys):>10.3g} | {''.join(rows[-1])}"
    left, right = f"{min(xs):.4g} ms", f"{max(xs):.4g} ms"
    return [
        f"$ a {unit}".rjust(10),
        *lines,
        f"{'':>10} +-{'-' * _WIDTH}",
        f"{'':>13}{left}{right:>{_WIDTH - len(left)}}",
    ]


def _cell(value: float, values: Sequence[float], size: int) -> int:
    spread = max(values) - min(values)
    return round((value - min(values)) / spread * (size - 1)) if spread else 0
