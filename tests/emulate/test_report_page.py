"""`maya report --html` after a real run: modules and lines of the program are on the page."""

import gzip
import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

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
    _memory_opens_where_torch_shows_it(run, workload_environment)
    _operators_are_around_their_kernels(run, workload_environment)


def test_page_of_a_compiled_program_names_its_modules(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    """The second run finds the code of the first in Inductor's cache."""
    script = ROOT / "tests" / "emulate" / "workloads" / "compiled.py"
    for number in ("first", "second"):
        run = tmp_path / number
        command = ["--", sys.executable, str(script), "default"]
        done = _maya(workload_environment, "run", "--cluster", "h100:1", "-o", str(run), *command)
        assert done.returncode == 0, done.stderr
        done = _maya(workload_environment, "report", str(run), "--html")
        assert done.returncode == 0, done.stderr
        data = unpacked((run / "report.html").read_text())
        modules = {row["name"]: row for row in data["modules"]}
        for name in ("0.up", "1.down"):
            assert modules[name]["forward"] > 0, (number, name)
            assert modules[name]["backward"] > 0, (number, name)
        assert "(not known)" not in modules
        lines = " ".join(row["name"] for row in data["lines"])
        assert "compiled.py:21 (forward)" in lines
        assert "(call)" not in lines


def _memory_opens_where_torch_shows_it(run: Path, environment: dict[str, str]) -> None:
    done = _maya(environment, "export", str(run), "--format", "memory")
    assert done.returncode == 0, done.stderr
    snapshot = pickle.loads((run / "memory" / "rank0_memory.pickle").read_bytes())
    viewer = _memory_viz()
    assert "total_allocated" in viewer.segsum(snapshot)
    assert "train_gpt2.py" in viewer.memory(snapshot, format_flamegraph=str)
    assert "MemoryViz.js" in viewer.trace_plot(snapshot)
    (changes,) = snapshot["device_traces"]
    assert "del" in viewer.trace(snapshot)
    step_ms = json.loads((run / "summary.json").read_text())["step"]["time_ms"]
    lasted_us = changes[-1]["time_us"] - changes[0]["time_us"]
    assert 0 < lasted_us <= 1010 * step_ms
    assert [c["time_us"] for c in changes] == sorted(c["time_us"] for c in changes)
    live = sum(
        block["size"]
        for segment in snapshot["segments"]
        for block in segment["blocks"]
        if block["state"] == "active_allocated"
    )
    assert live == sum(segment["allocated_size"] for segment in snapshot["segments"])


def _operators_are_around_their_kernels(run: Path, environment: dict[str, str]) -> None:
    done = _maya(environment, "export", str(run), "--format", "kineto")
    assert done.returncode == 0, done.stderr
    with gzip.open(run / "kineto" / "rank0_trace.json.gz", "rt") as file:
        events = json.load(file)["traceEvents"]
    operators = {e["args"]["External id"]: e for e in events if e.get("cat") == "cpu_op"}
    kernels = [e for e in events if e.get("cat") == "kernel"]
    assert kernels
    assert all(kernel["args"]["External id"] in operators for kernel in kernels)
    sizes = [e["args"]["Input Dims"] for e in operators.values() if e["name"] == "aten::linear"]
    assert [[2, 64, 128], [384, 128], [384]] in sizes  # qkv: batch, length, width


def _memory_viz() -> ModuleType:
    """torch/cuda/_memory_viz.py alone: torch itself needs CUDA's libraries."""
    torch = importlib.util.find_spec("torch")
    assert torch is not None
    assert torch.origin is not None
    path = Path(torch.origin).parent / "cuda" / "_memory_viz.py"
    spec = importlib.util.spec_from_file_location("memory_viz", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
