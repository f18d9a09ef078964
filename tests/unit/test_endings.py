"""Every way in which a run can end has words."""

from pathlib import Path
from typing import get_args

import pytest

from maya.cli.summary import print_ending, print_summary
from maya.emulator import EmulationResult
from maya.rundir.facts import Ending


@pytest.mark.parametrize("ending", get_args(Ending))
def test_an_ending_is_told(
    ending: Ending, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = EmulationResult(tmp_path, (), 1, ending, 2.5)
    print_ending(result)
    print_summary(result)
    said = capsys.readouterr().err
    assert said.count("after 2.5 s") == 2
    is_sure = ending not in ("script", "cpu-only", "signal", "max-seconds")
    assert ("did not use the GPU" in said) == is_sure
    assert ("had not used the GPU by then" in said) == (ending == "max-seconds")


def test_a_script_that_used_no_gpu_is_told_apart_from_one_that_failed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    print_summary(EmulationResult(tmp_path, (), 0, "script", 2.5))
    assert "the program did not use the GPU" in capsys.readouterr().err


def test_a_launcher_that_was_cut_off_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    print_ending(EmulationResult(tmp_path, (), -9, "enough", 2.5))
    assert "cut off before a step was recorded" in capsys.readouterr().err
