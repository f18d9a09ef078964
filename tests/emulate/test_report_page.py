"""`maya report --html` after a real run: modules and lines of the program are on the page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maya.page.document import unpacked

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "train_gpt2.py"
SMALL = ("--layers", "2", "--width", "128", "--length", "64", "--batch-size", "2")


def _maya(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "maya", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_page_of_a_run_names_modules_and_lines(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    run = tmp_path / "run"
    command = ["--", sys.executable, str(SCRIPT), *SMALL]
    done = _maya(workload_environment, "run", "--cluster", "h100:1", "-o", str(run), *command)
    assert done.returncode == 0, done.stderr
    done = _maya(workload_environment, "report", str(run), "--html")
    assert done.returncode == 0, done.stderr
    data = unpacked((run / "report.html").read_text())
    assert data["summary"] == json.loads((run / "summary.json").read_text())
    modules = {row["name"]: row for row in data["modules"]}
    for name in ("blocks.*.qkv", "blocks.*.feed.*", "blocks.*.norm1", "tokens", "norm"):
        assert modules[name]["forward"] > 0, name
        assert modules[name]["backward"] > 0, name
    assert modules["(optimizer)"]["other"] > 0
    assert "(not known)" not in modules
    lines = {row["name"].rpartition("/")[2] for row in data["lines"]}
    assert any(line.startswith("train_gpt2.py") and "(forward)" in line for line in lines)
    kernels_ms = sum(s["ms"] for s in data["shares"] if s["name"] != "idle")
    assert sum(row["ms"] for row in data["modules"]) == pytest.approx(kernels_ms)
