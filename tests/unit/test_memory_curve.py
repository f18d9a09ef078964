"""Memory over a step: every byte belongs to a line, and the fullest moment is kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

INSIDE = Path(__file__).parents[2] / "src/maya/emulator/inside"


@pytest.fixture
def curve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.syspath_prepend(str(INSIDE))
    from maya_inside import memory_curve

    made: Callable[..., Any] = memory_curve.curve
    return made


def _entry(moment: int, action: str, address: int, size: int, line: int = 1) -> dict[str, Any]:
    frames = [{"filename": "/home/me/train.py", "line": line, "name": "main"}]
    return {"time_us": moment, "action": action, "addr": address, "size": size, "frames": frames}


def test_bytes_belong_to_the_line_that_allocated_them(curve: Callable[..., Any]) -> None:
    trace = [
        _entry(5, "alloc", 9, 999),  # before the step
        _entry(10, "alloc", 1, 100, line=3),
        _entry(11, "alloc", 2, 50, line=4),
        _entry(12, "free_requested", 1, 100),
        _entry(13, "free_requested", 7, 20),  # of an earlier step
    ]
    made = curve({"device_traces": [trace]}, 0, 10, 1000)
    three, four = "/home/me/train.py:3 (main)", "/home/me/train.py:4 (main)"
    assert made["names"] == ["held before the step", three, four, "other lines"]
    assert made["samples"] == [
        [10, [1000, 100, 0, 0]],
        [11, [1000, 100, 50, 0]],
        [12, [1000, 0, 50, 0]],
        [13, [980, 0, 50, 0]],
    ]


def test_the_fullest_moment_of_a_long_step_is_kept(curve: Callable[..., Any]) -> None:
    trace = []
    for number in range(3000):
        size = 10**6 if number == 1234 else 10
        trace.append(_entry(2 * number, "alloc", number, size))
        trace.append(_entry(2 * number + 1, "free_requested", number, size))
    made = curve({"device_traces": [trace]}, 0, 0, 0)
    assert len(made["samples"]) <= 502
    assert max(sum(held) for _, held in made["samples"]) == 10**6


def test_a_step_without_allocations_has_no_curve(curve: Callable[..., Any]) -> None:
    assert curve({"device_traces": [[]]}, 0, 0, 5) is None


def test_what_led_to_a_failed_allocation_ends_with_what_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(INSIDE))
    from maya_inside import memory_curve

    trace = [
        _entry(10, "alloc", 1, 100, line=3),
        _entry(11, "alloc", 2, 50, line=4),
        _entry(12, "free_requested", 2, 50, line=4),
        {"time_us": 13, "action": "oom", "device_free": 7, "size": 500, "frames": []},
    ]
    made = memory_curve.curve_to_failure({"device_traces": [trace]}, 0, 1100, 500)
    three = "/home/me/train.py:3 (main)"
    assert made is not None
    assert made["names"][:2] == ["held before", three]
    assert made["names"][-1] == "the allocation that failed"
    assert [moment for moment, _ in made["samples"]] == [0, 1, 2, 3]
    assert [sum(held) for _, held in made["samples"]] == [1100, 1150, 1100, 1600]
