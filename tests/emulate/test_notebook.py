"""The notebook of the examples: every cell runs, and its drawings are pages that can be drawn."""

import ast
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from maya.page.document import unpacked

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_cells_of_the_notebook_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workload_environment: dict[str, str]
) -> None:
    shutil.copy(EXAMPLES / "train_gpt2.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in workload_environment.items():
        monkeypatch.setenv(name, value)
    interpreter = Path(sys.executable).parent
    monkeypatch.setenv("PATH", str(interpreter), prepend=os.pathsep)
    cells = json.loads((EXAMPLES / "predict.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}
    shown = [_last(c["source"], names) for c in cells if c["cell_type"] == "code"]
    report, timeline, memory, kernels, others, operator = shown
    assert "A step takes" in report._repr_html_()
    assert unpacked(timeline.html)["part"] == "timeline"
    assert "<iframe" in memory._repr_html_()
    assert memory.save(tmp_path / "memory.html").read_text("utf-8") == memory.html
    assert len(kernels) == 5
    assert others["b200"] < others["a100-80"]
    assert "analytical" in str(operator) or "learned" in str(operator)


def _last(source: list[str], names: dict[str, Any]) -> Any:
    """What a notebook would show of a cell: its last expression."""
    body = ast.parse("".join(source)).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
