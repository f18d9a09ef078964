"""maya.toml and [tool.maya]: a project's own defaults, under what is typed and the environment."""

from pathlib import Path

import pytest

from maya.cli.app import app, printing_errors
from maya.cli.defaults import find_defaults
from maya.cli.group import name_stdout
from maya.errors import ExitCode

ABSENT = "python-that-is-not-there"  # nothing may be started


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAYA_CLUSTER", raising=False)


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended, printing_errors():
        app(list(words))
    assert ended.value.code == ExitCode.ERROR
    told = capsys.readouterr()
    return " ".join((told.out + told.err).split())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("maya.toml", "cluster = 'mi300x:8'"),
        ("pyproject.toml", "[tool.maya]\ncluster = 'mi300x:8'"),
        ("maya.toml", "cluster = 'h100:1'\n[run]\ncluster = 'mi300x:8'"),
    ],
)
def test_a_project_names_its_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert "an AMD GPU" in _said(capsys, "run", "--", ABSENT)
    assert "an AMD GPU" not in _said(capsys, "run", "--cluster", "h100:1", "--", ABSENT)


def test_what_speaks_of_the_last_prediction_takes_no_cluster_of_the_project(tmp_path: Path) -> None:
    commands = {name: frozenset({"cluster"}) for name in ("run", "export", "calibrate")}
    (tmp_path / "maya.toml").write_text("cluster = 'h100:8'\n[calibrate]\ncluster = 'l4:1'")
    found = find_defaults(commands)
    assert found == {"run": {"cluster": "h100:8"}, "export": {}, "calibrate": {"cluster": "l4:1"}}


def test_the_environment_is_nearer_than_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "maya.toml").write_text("cluster = 'mi300x:8'")
    monkeypatch.setenv("MAYA_CLUSTER", "h100:1")
    assert ABSENT in _said(capsys, "run", "--", ABSENT)


@pytest.mark.parametrize("command", [("simulate", "no-run"), ("serve", "--", ABSENT)])
def test_the_variable_names_the_cluster_of_other_commands_too(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    (tmp_path / "maya.toml").write_text("cluster = 'h100:1'")
    assert "an AMD GPU" not in _said(capsys, *command)
    monkeypatch.setenv("MAYA_CLUSTER", "mi300x:8")
    assert "an AMD GPU" in _said(capsys, *command)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("clustre = 'h100'", "clustre is no option"),
        ("[runn]\nsteps = 3", "runn is no command"),
        ("[report]\nsteps = 3", "steps is no option of maya report"),
        ("steps = ", "cannot be read"),
        ("steps = 'many'", "--steps must be"),
    ],
)
def test_mistakes_in_the_file_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    (tmp_path / "maya.toml").write_text(text)
    assert told in _said(capsys, "run", "--", ABSENT)


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ("report --json RUN", "report --json - RUN"),
        ("report RUN --json", "report RUN --json -"),
        ("run --json out.json -- python a.py", "run --json out.json -- python a.py"),
        ("run --json -- python --json b", "run --json - -- python --json b"),
        ("report --json - RUN", "report --json - RUN"),
    ],
)
def test_json_goes_to_a_file_only_where_one_is_named(given: str, understood: str) -> None:
    assert name_stdout(given.split()) == understood.split()
