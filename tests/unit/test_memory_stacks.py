"""Stacks of a snapshot are looked at once each, however many changes have them."""

import json
from pathlib import Path
from typing import Any

import pytest

INSIDE = Path(__file__).parents[2] / "src/maya/emulator/inside"
FRAMES = [{"filename": "/home/me/train.py", "line": line, "name": "main"} for line in (3, 4)]


@pytest.fixture(autouse=True)
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(INSIDE))


def _change(moment: int, frames: list[dict[str, Any]]) -> dict[str, Any]:
    size, address = 10, 512 * moment
    about = {"action": "alloc", "addr": address, "size": size, "stream": 0, "time_us": moment}
    return {**about, "frames": frames}


def _snapshot() -> dict[str, Any]:
    """As torch makes it: each stack a list of its own, of frames that all share."""
    stacks = ([FRAMES[0]], [FRAMES[1], FRAMES[0]], [])
    trace = [_change(moment, list(stacks[moment % 3])) for moment in range(300)]
    return {"device_traces": [trace], "segments": []}


def test_each_stack_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from maya_inside import memory_curve, memory_holders

    looked_at: list[int] = []
    real = memory_holders.line_of

    def counted(frames: list[Any]) -> str:
        looked_at.append(len(frames))
        return real(frames)

    monkeypatch.setattr(memory_holders, "line_of", counted)
    made = memory_curve.curve(_snapshot(), 0, 0, 0)
    assert sorted(looked_at) == [0, 1, 2]
    held = dict(zip(made["names"], made["samples"][-1][1], strict=True))
    assert held["/home/me/train.py:3 (main)"] == held["/home/me/train.py:4 (main)"] == 1000


def test_stacks_of_a_kept_snapshot_are_written_once(tmp_path: Path) -> None:
    from maya_inside import memory_snapshot

    path = tmp_path / "snapshot.json"
    memory_snapshot.write(_snapshot(), 0, str(path), 0)
    kept = json.loads(path.read_text(encoding="utf-8"))
    three, four = ["/home/me/train.py", 3, "main"], ["/home/me/train.py", 4, "main"]
    assert kept["stacks"] == [[three], [four, three], []]
    assert [change[-1] for change in kept["trace"]] == [0, 1, 2] * 100
