"""PyTorch's operators: told for one step, in the Kineto export of every step."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from run_facts import run_of
from training_capture import FixedDurations, Script, training

from maya.analyze import Options, predict
from maya.export import write_kineto
from maya.hardware import find_cluster
from maya.trace import Capture
from maya.trace.operators import Enclosing, Operator, read_operators
from maya.trace.places import looks_of

LINEAR, PRODUCT = "aten::linear [[2, 3], [4, 3]]", "aten::mm [[2, 3], [3, 4]]"
ADDITION = "autograd::engine::evaluate_function: AddmmBackward0"
STEPS = 5


def _capture(directory: Path) -> Capture:
    """Two products and a kernel a step; the second step tells its operators."""
    script = Script()

    def work(definition: int, step: int, operators: tuple[str, ...], shared: int) -> None:
        script.call(definition, stream=1)
        if step == 1:
            said = {"line": "", "module": "", "phase": "forward", "operators": "\n".join(operators)}
            script.call(script.define("place", 15, **said), cpu_ns=0, b=shared)

    for step in range(STEPS):
        work(script.gemm, step, (LINEAR, PRODUCT), 0)
        if step:
            script.call(script.boundary, a=step, cpu_ns=0)
        work(script.gemm, step, (LINEAR, PRODUCT), 1)
        work(script.kernel, step, (ADDITION,), 0)
    script.call(script.gemm, stream=1)
    script.call(script.boundary, a=STEPS, cpu_ns=0)
    script.steady(STEPS, STEPS - 2)
    return script.save(directory)


def _exported(capture: Capture, directory: Path) -> list[dict[str, Any]]:
    options = Options(chain=FixedDurations())
    (path,) = write_kineto(predict(run_of([capture]), find_cluster("h100:1"), options), directory)
    with gzip.open(path, "rt") as file:
        events: list[dict[str, Any]] = json.load(file)["traceEvents"]
    return events


def test_operators_are_read_with_their_sizes_by_the_work_they_ask_for(tmp_path: Path) -> None:
    capture = _capture(tmp_path)
    read = read_operators(capture)
    assert read is not None
    looks = {d.op: looks_of(d) for d in capture.definitions()}
    both = Operator("aten::linear", "[[2, 3], [4, 3]]"), Operator("aten::mm", "[[2, 3], [3, 4]]")
    assert read.of[looks["cublasGemmEx"]] == (Enclosing(both, 0), Enclosing(both, 1))
    assert read.of[looks["kernel"]] == (Enclosing((Operator(ADDITION, ""),), 0),)


def test_every_step_has_its_operators_around_their_calls(tmp_path: Path) -> None:
    events = _exported(_capture(tmp_path), tmp_path / "out")
    kinds = {kind: [e for e in events if e.get("cat") == kind] for kind in ("cpu_op", "kernel")}
    names = [event["name"] for event in kinds["cpu_op"]]
    # One `linear` with two products in it, then the backward pass: as many of each as steps.
    assert names.count("aten::mm") == pytest.approx(2 * names.count(ADDITION), abs=1)
    assert names.count("aten::linear") == pytest.approx(names.count(ADDITION), abs=1)
    by_id = {event["args"]["External id"]: event for event in kinds["cpu_op"]}
    assert len(by_id) == len(names) > STEPS
    for call in (event for event in events if event.get("cat") == "cuda_runtime"):
        operator = by_id[call["args"]["External id"]]
        assert operator["tid"] == call["tid"]
        assert operator["ts"] <= call["ts"]
        assert call["ts"] + call["dur"] <= operator["ts"] + operator["dur"] + 1e-6
    shapes = {event["name"]: event["args"].get("Input Dims") for event in kinds["cpu_op"]}
    assert shapes == {
        "aten::linear": [[2, 3], [4, 3]],
        "aten::mm": [[2, 3], [3, 4]],
        ADDITION: None,
    }
    assert {event["args"]["External id"] for event in kinds["kernel"]} <= by_id.keys()


def test_a_program_that_told_none_has_none(tmp_path: Path) -> None:
    events = _exported(training(tmp_path), tmp_path / "out")
    assert not [event for event in events if event.get("cat") == "cpu_op"]
