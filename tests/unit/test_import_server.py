"""What a process imports for the ranks that are forked from it, and when it must not."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

INSIDE = Path(__file__).resolve().parents[2] / "src/maya/emulator/inside"


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The code that runs in the program's interpreter can be imported."""
    monkeypatch.syspath_prepend(str(INSIDE))
    yield
    for name in ("maya_inside.rank_reads", "maya_inside.script_imports"):
        sys.modules.pop(name, None)


def script_imports() -> Any:
    from maya_inside import script_imports

    return script_imports


def test_modules_beside_the_script_are_read_but_not_run(inside: None, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import json\nfrom own import thing\nif __name__ == '__main__':\n    import csv"
    )
    (tmp_path / "own.py").write_text("import decimal, train\nraise SystemExit('it was run')")
    assert script_imports().imported_modules(str(script)) == ["json", "decimal"]


def test_a_module_is_found_as_python_finds_it(inside: None) -> None:
    found = script_imports().script_path(["-m", "json.tool"])
    assert Path(found).name == "tool.py"
    assert script_imports().script_path(["-m", "json_that_is_not_there"]) == os.devnull


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        ("import os; os.environ['RANK']", True),
        ("import os; os.environ.get('LOCAL_RANK')", True),
        ("import os; os.getenv('RANK')", True),
        ("import os; dict(os.environ)", False),
        ("import os; [name for name, value in os.environ.items()]", False),
        ("import os; os.environ.copy()", False),
        ("import os; os.environ['PATH']", False),
    ],
)
def test_only_who_asks_for_the_rank_itself_is_found(
    inside: None, monkeypatch: pytest.MonkeyPatch, source: str, asks: bool
) -> None:
    from maya_inside import rank_reads

    for name in ("RANK", "LOCAL_RANK", *(f"ANOTHER{i}" for i in range(12))):
        monkeypatch.setenv(name, "0")
    with rank_reads.watched() as readers:
        exec(compile(source, "package.py", "exec"), {})
    assert readers == (["package.py"] if asks else [])
