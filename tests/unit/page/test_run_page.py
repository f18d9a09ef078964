"""The page of a run says what its summary says, whole and in one file."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import FixedDurations, training

from maya.analyze import Options, Prediction, predict
from maya.analyze.summary import summary_of
from maya.analyze.tables import kernel_table
from maya.hardware import find_cluster
from maya.page import render, run_page
from maya.page.document import unpacked
from maya.page.kinds import WorkKinds
from maya.page.what_if import scenarios
from maya.summary import Summary


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Summary, Prediction]:
    directory = tmp_path_factory.mktemp("page")
    captures = [training(directory, rank=rank, world=2) for rank in range(2)]
    run = run_of(captures)
    prediction = predict(run, find_cluster("h100:2"), Options(chain=FixedDurations()))
    return summary_of(prediction, run), prediction


def test_figures_of_the_page_are_those_of_the_summary(made: tuple[Summary, Prediction]) -> None:
    summary, prediction = made
    data = unpacked(render(run_page(summary, prediction)))
    assert data["summary"] == json.loads(summary.to_json())
    times = {share["name"]: share["ms"] for share in data["shares"]}
    assert summary.step is not None
    assert summary.communication is not None
    assert summary.device is not None
    assert sum(times.values()) == pytest.approx(summary.step.time_ms)
    exposed = sum(times.get(name, 0.0) for name in _EXPOSED)
    assert exposed == pytest.approx(summary.communication.exposed_ms)
    assert times["idle"] == pytest.approx(summary.device.idle_ms)
    last_step_ms = data["timeline"]["length"] / 1e6
    assert sum(part["ms"] for part in data["path"]) == pytest.approx(last_step_ms)


_EXPOSED = ("communication, exposed", "waiting for other ranks")


def test_kernel_rows_add_up_to_the_table_of_kernels(made: tuple[Summary, Prediction]) -> None:
    summary, prediction = made
    data = unpacked(render(run_page(summary, prediction)))
    times: dict[str, float] = {}
    for row in data["kernels"]:
        name = data["kinds"][row["k"]]["name"]
        times[name] = times.get(name, 0.0) + row["ms"]
    assert times == pytest.approx({row.name: row.time_ms for row in kernel_table(prediction)})


def test_lanes_of_a_rank_hold_the_work_of_the_step(made: tuple[Summary, Prediction]) -> None:
    summary, prediction = made
    timeline = unpacked(render(run_page(summary, prediction)))["timeline"]
    assert [rank["rank"] for rank in timeline["ranks"]] == [0, 1]
    for rank in timeline["ranks"]:
        streams = [lane for lane in rank["lanes"] if lane["kind"] != "host"]
        assert sum(len(lane["k"]) for lane in streams) == 4  # two products, reduction, update
        for lane in rank["lanes"]:
            assert all(length >= 0 for length in lane["d"])
            assert sum(lane["s"]) + sum(lane["d"]) <= timeline["length"]
    path = timeline["path"]
    assert sum(path["s"]) + sum(path["d"]) == timeline["length"]


def test_what_would_help_is_simulated(made: tuple[Summary, Prediction]) -> None:
    _, prediction = made
    found = {s.name: s.step_ms for s in scenarios(prediction, WorkKinds(prediction))}
    now = prediction.step_ns / 1e6
    assert found["communication at no cost"] < now
    assert found["matmul twice as fast"] < now
    assert "network twice as fast" not in found  # one node has none


def test_page_is_one_file_without_network_and_escapes_texts(
    made: tuple[Summary, Prediction],
) -> None:
    summary, prediction = made
    evil = "</script><script>alert(1)</script>"
    html = render(run_page(replace(summary, command=("python", evil)), prediction))
    assert evil not in html
    assert unpacked(html)["command"] == f"python '{evil}'"
    body = html.replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in body
    assert "https://" not in body
    assert "src=" not in body.partition("</head>")[2]
    assert len(html) < 200_000


def test_assets_are_in_the_package() -> None:
    from maya.page import document

    names = {path.name for path in Path(document.__file__).with_name("assets").iterdir()}
    assert {"frame.html", "style.css", "start.js", "timeline.js"} <= names
