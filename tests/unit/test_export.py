"""Timelines for other tools."""

import gzip
import json
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import FixedDurations, training

from maya.analyze import Options, predict
from maya.export import write_kineto
from maya.hardware import find_cluster
from workshop.replay.kineto import replay_file


def test_kineto_traces_hold_the_simulated_times(tmp_path: Path) -> None:
    captures = [training(tmp_path, rank=rank, world=2) for rank in range(2)]
    prediction = predict(run_of(captures), find_cluster("h100:2"), Options(chain=FixedDurations()))
    paths = write_kineto(prediction, tmp_path / "out")
    assert [path.name for path in paths] == ["rank0_trace.json.gz", "rank1_trace.json.gz"]
    with gzip.open(paths[1], "rt") as file:
        text = file.read()
    assert '"rank": 1' in text
    events = json.loads(text)["traceEvents"]
    steps = [event for event in events if event["name"].startswith("ProfilerStep#")]
    assert len(steps) == prediction.steps
    assert sum(step["dur"] for step in steps) == pytest.approx(
        prediction.steps * prediction.step_ns / 1e3
    )
    work = [event for event in events if event.get("cat") == "kernel"]
    assert all(event["args"]["stream"] >= 7 for event in work)
    assert any(event["name"].startswith("nccl") for event in work)
    launches = {e["args"]["correlation"] for e in events if e.get("cat") == "cuda_runtime"}
    assert {event["args"]["correlation"] for event in work} <= launches
    assert all(event["dur"] >= 0 for event in events if event["ph"] == "X")


def test_exported_trace_replays_to_the_same_steps(tmp_path: Path) -> None:
    prediction = predict(
        run_of([training(tmp_path)]), find_cluster("h100:1"), Options(chain=FixedDurations())
    )
    (path,) = write_kineto(prediction, tmp_path / "out")
    done = replay_file(path)
    assert sum(done.simulated_ns) == pytest.approx(sum(done.real_ns), rel=0.01)
