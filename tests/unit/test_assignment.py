"""The command line and a job file together say what runs where."""

from pathlib import Path

import pytest

from maya.errors import MayaError
from maya.prediction import assignment

TASK = "num_nodes: 2\nresources: {accelerators: 'H100:8'}\nworkdir: code\nrun: python train.py\n"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    path = tmp_path / "task.yaml"
    path.write_text(TASK, "utf-8")
    return path


def test_a_command_alone_runs_on_one_h100() -> None:
    assert assignment(["python", "x.py"], None, None).cluster == "h100:1"


@pytest.mark.parametrize(
    ("asked", "cluster"),
    [(None, "h100:8x2"), ("b200", "b200:8x2"), ("a100-80:4", "a100-80:4")],
)
def test_the_cluster_asked_for_goes_before_that_of_the_file(
    asked: str | None, cluster: str, task: Path
) -> None:
    assert assignment([], asked, task).cluster == cluster


def test_the_command_runs_where_the_file_says(task: Path) -> None:
    wanted = assignment([], None, task)
    with wanted.in_place():
        assert Path.cwd().samefile(task.parent / "code")
    assert Path.cwd() != task.parent / "code"


def test_two_commands_or_a_missing_directory_are_refused(task: Path) -> None:
    with pytest.raises(MayaError, match="a command of its own"):
        assignment(["python", "x.py"], None, task)
    (task.parent / "code").rmdir()
    with pytest.raises(MayaError, match="there is no directory"):
        assignment([], None, task)
