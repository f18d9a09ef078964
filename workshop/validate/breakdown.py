"""Errors by what cases have in common: GPU, scale, framework, what they are bound by, year."""

from collections.abc import Callable, Sequence

from maya.hardware import find_cluster
from workshop.validate.case import Outcome
from workshop.validate.sources import SOURCES

_SCALES = ((1, "1 GPU"), (8, "2 to 8 GPUs"), (64, "9 to 64 GPUs"), (511, "65 to 511 GPUs"))
_LARGEST = "512 GPUs and more"


def groups(outcomes: Sequence[Outcome]) -> dict[str, dict[str, list[Outcome]]]:
    """For each way to part them, the parts in order of their names."""
    good = [outcome for outcome in outcomes if not outcome.failure]
    return {title: _parted(good, key) for title, key in _WAYS.items()}


def _parted(outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> dict[str, list[Outcome]]:
    parts: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        parts.setdefault(key(outcome), []).append(outcome)
    return dict(sorted(parts.items()))


def _scale(outcome: Outcome) -> str:
    gpus = find_cluster(outcome.case.cluster).gpus
    return next((name for most, name in _SCALES if gpus <= most), _LARGEST)


def _kernels(outcome: Outcome) -> str:
    return "stood in for" if outcome.case.stand_in else "as measured, or of a later version"


_WAYS: dict[str, Callable[[Outcome], str]] = {
    "GPU": lambda outcome: find_cluster(outcome.case.cluster).gpu.id,
    "scale": _scale,
    "framework": lambda outcome: SOURCES[outcome.case.source].framework,
    "bound": lambda outcome: outcome.bound,
    "year": lambda outcome: str(SOURCES[outcome.case.source].year),
    "main kernels": _kernels,
}
