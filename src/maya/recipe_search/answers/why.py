"""Why the winner wins: where the time of the two goes."""

from collections.abc import Iterator

from maya.recipe_search.choice.history import Done

# Parts of a step that add up to it, for the mean rank.
_PARTS = (
    ("compute_ms", "computing (recomputation included)"),
    ("exposed_ms", "waiting for communication that no kernel hides"),
    ("idle_ms", "idle time (pipeline bubbles, the CPU, gaps between kernels)"),
)
_WORTH_SAYING = 0.005  # of the runner-up's step
_MILLION = 1e6


def explain(best: Done, other: Done) -> list[str]:
    """Sentences, the largest difference first; per token where the steps are not of one size."""
    parts, unit = _differences(best, other)
    ours, theirs = parts["step_ms"]
    faster = f"{abs(ours / theirs - 1):.1%} {'faster' if ours <= theirs else 'slower'}"
    lines = [
        f"{faster} than the runner-up, trial {other.number} ({_turned(best, other)}): "
        f"{_difference(ours - theirs)} {unit}"
    ]
    return lines + [text for _, text in sorted(_sentences(parts, best, other), reverse=True)]


def _difference(ms: float) -> str:
    """Three digits, but all of a large number."""
    size = f"{abs(ms):,.0f}" if abs(ms) >= 100 else f"{abs(ms):.3g}"
    return f"{size} ms {'less' if ms <= 0 else 'more'}"


def _turned(best: Done, other: Done) -> str:
    a, b = best.point, other.point
    changes = [
        f"{name} {value} instead of {b.knobs[name]}"
        for name, value in a.knobs.items()
        if b.knobs[name] != value
    ]
    if a.cluster != b.cluster:
        changes.insert(0, f"{a.cluster} instead of {b.cluster}")
    return ", ".join(changes)


def _differences(best: Done, other: Done) -> tuple[dict[str, tuple[float, float]], str]:
    sizes = best.tokens_per_step, other.tokens_per_step
    scales, unit = (1.0, 1.0), "a step"
    if sizes[0] and sizes[1] and sizes[0] != sizes[1]:
        scales, unit = (_MILLION / sizes[0], _MILLION / sizes[1]), "for a million tokens"
    names = ["step_ms", *(name for name, _ in _PARTS)]
    a, b = best.outcome.metrics, other.outcome.metrics
    pairs = {
        name: ((a.get(name) or 0.0) * scales[0], (b.get(name) or 0.0) * scales[1]) for name in names
    }
    return pairs, unit


def _sentences(
    parts: dict[str, tuple[float, float]], best: Done, other: Done
) -> Iterator[tuple[float, str]]:
    for name, words in _PARTS:
        change = parts[name][0] - parts[name][1]
        if abs(change) >= _WORTH_SAYING * parts["step_ms"][1]:
            yield abs(change), f"{_difference(change)} {words}"
    extra = [
        (m.get("hfu") or 0.0) / (m.get("mfu") or 1.0) - 1.0
        for m in (best.outcome.metrics, other.outcome.metrics)
    ]
    if abs(extra[0] - extra[1]) > 0.02:
        yield 0.0, f"recomputes {extra[0]:.0%} of the model's FLOPs, not {extra[1]:.0%}"
