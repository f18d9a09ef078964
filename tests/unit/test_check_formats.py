"""What `maya check` writes for pull requests and CI servers."""

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from run_facts import write_facts
from training_capture import training

from maya.cli.app import app
from maya.errors import ExitCode


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """The same program on two GPUs."""
    for name, cluster in (("base", "h100:1"), ("now", "a100-80:1")):
        (tmp_path / name).mkdir()
        training(tmp_path / name)
        write_facts(tmp_path / name)
        with pytest.raises(SystemExit):
            app(["simulate", str(tmp_path / name), "--cluster", cluster, "-q"])
    return tmp_path / "base", tmp_path / "now"


def _checked(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[ExitCode, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        app(["check", *map(str, words)])
    return ExitCode(ended.value.code or 0), capsys.readouterr().out


def test_markdown_tells_what_changed_since_the_base_and_why(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    base, now = runs
    words = ("--format", "markdown", "--base", base, "--max-step-ms", "1e-9")
    code, text = _checked(capsys, now, *words)
    assert code == ExitCode.CHECK_FAILED
    assert text.startswith("### Maya: a limit is missed\n\nA step takes ")
    assert "| **missed** |" in text
    assert "#### Against the base (h100:1 -> a100-80:1)" in text
    assert any(row.startswith("| step ms | ") for row in text.splitlines())
    filled = next(row for row in text.splitlines() if "FillFunctor" in row)
    assert re.search(r"\| \+[0-9.e-]+ \| each \+\d+% \|$", filled)  # an A100 is slower


def test_junit_has_a_case_for_each_limit(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = _checked(
        capsys, runs[1], "--format", "junit", "--max-step-ms", "1e-9", "--max-memory-gb", "70"
    )
    assert code == ExitCode.CHECK_FAILED
    suite = Xml.fromstring(text)
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["step time"]


def test_kept_limits_end_well(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, text = _checked(capsys, runs[1], "--format", "markdown", "--max-memory-gb", "70")
    assert code == ExitCode.OK
    assert "all limits are kept" in text
