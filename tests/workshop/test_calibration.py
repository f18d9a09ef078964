"""What a trace of one program does for another, on traces of our own making."""

import sys
from pathlib import Path

import pytest

from maya.hardware import find_gpu
from workshop.calibration.command import line
from workshop.calibration.transfer import transfers

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
import tiny_trace


def test_the_same_program_is_judged_by_what_was_measured(tmp_path: Path) -> None:
    first = tiny_trace.write(tmp_path / "first.json")
    slower = tiny_trace.document(tiny_trace.events(add_us=100.0))
    second = tiny_trace.write(tmp_path / "second.json", slower)
    there, back = transfers([first, second], find_gpu("v100-32"))
    assert (there.judged_on, back.judged_on) == ("second.json", "first.json")
    assert there.seen == pytest.approx(1.0)
    # All that differs is the addition: 50 us for 100, of 2,600.5 us.
    assert there.after.total == pytest.approx(-50 / 2600.5, rel=1e-3)
    assert there.after.absolute < there.factors.absolute < there.before.absolute
    assert "100%" in line(there)
