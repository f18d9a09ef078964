"""The use case, once: the command line, Python, the search and exports ask and keep the same."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_facts import write_facts
from training_capture import Script, training

import maya
from maya.cli import main
from maya.emulator import EmulationOptions, EmulationResult
from maya.errors import ExitCode, MayaError
from maya.prediction import recording
from maya.recipe_search.engine import SearchOptions, job_of, prepare
from maya.recipe_search.trials.jobs import TrialJob
from maya.recipe_search.trials.trial import run_trial
from maya.rundir import RunDirectory
from maya.summary import kept_names, read_prediction
from maya.trace import collect

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "examples/clusters/h100-hbm2e.yaml"
HOLD = """
import sys, time
from pathlib import Path
from maya.recipe_search.trials.jobs import TrialJob
from maya.recipe_search.trials.trial import run_trial
from maya.rundir import RunDirectory
with RunDirectory(Path(sys.argv[1])).claimed():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    directory = tmp_path / "run"
    directory.mkdir()
    training(directory)
    write_facts(directory)
    return directory


@pytest.fixture
def emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[EmulationOptions]:
    """Stands for the emulator: leaves a run, and keeps what it was asked."""
    asked: list[EmulationOptions] = []

    def emulate(command: list[str], options: EmulationOptions) -> EmulationResult:
        asked.append(options)
        directory = Path(options.output or "")
        directory.mkdir(parents=True)
        capture = training(directory)
        write_facts(directory, command=tuple(command))
        return EmulationResult(directory, (capture.path,), 0, "steps", 1.0)

    monkeypatch.setattr(recording, "emulate", emulate)
    return asked


def command(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["maya", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def measurements(directory: Path, microseconds: float) -> Path:
    path = directory / "mine.csv"
    path.write_text(f"kernel,duration_us\ncublasGemmEx,{microseconds}\n", "utf-8")
    return path


def test_python_takes_what_the_command_takes(
    tmp_path: Path, emulator: list[EmulationOptions]
) -> None:
    report = maya.run(
        "python 'my train.py' --lr 1",
        cluster=CLUSTER,
        output=tmp_path / "run",
        tokens_per_step=1000,
        host="epyc-7742",
        measurements=measurements(tmp_path, 5000),
        routing="zipf",
        steps=2,
    )
    summary = report.summary
    assert summary.command == ("python", "my train.py", "--lr", "1")
    assert report.step_ms is not None
    assert report.step_ms > 10  # two products of five milliseconds
    assert summary.throughput.tokens_per_s == pytest.approx(1e6 / report.step_ms)
    assert (summary.cluster.name, summary.cluster.host.id) == ("h100-hbm2e", "epyc-7742")
    (asked,) = emulator
    assert asked.gpu == summary.cluster.gpu
    assert (asked.routing, asked.steps, asked.nodes) == ("zipf", 2, summary.cluster.nodes)


def test_python_and_the_command_predict_the_same(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--host-scale", "2", "--tokens-per-step", "7", "--mask-density", "0.25")
    command(monkeypatch, "simulate", run, "--cluster", CLUSTER, *options)
    told = read_prediction(run).summary
    report = maya.simulate(run, cluster=CLUSTER, host_scale=2, tokens_per_step=7, mask_density=0.25)
    assert report.summary == told
    assert len(kept_names(run)) == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [("jitter", 0.5), ("trials", 0), ("mask_density", 2.0), ("host_scale", -1.0)],
)
def test_an_option_that_makes_no_sense_is_named(run: Path, option: str, value: Any) -> None:
    with pytest.raises(MayaError, match=f"--{option.replace('_', '-')} must be "):
        maya.simulate(run, cluster="h100:1", **{option: value})


def test_a_command_that_fails_is_one_error_with_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = EmulationResult(tmp_path, (), 7, "script", 1.0)
    monkeypatch.setattr(recording, "emulate", lambda *_: ended)
    with pytest.raises(MayaError, match="failed with exit code 7") as caught:
        maya.run(["false"], output=tmp_path / "run")
    assert caught.value.exit_code == ExitCode.SCRIPT_FAILED


def test_a_program_that_never_used_the_device_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = EmulationResult(tmp_path, (), 0, "script", 1.0)
    monkeypatch.setattr(recording, "emulate", lambda *_: ended)
    with pytest.raises(MayaError, match="did not use the GPU"):
        maya.run(["true"])


def test_export_repeats_the_prediction_that_was_printed(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = measurements(run.parent, 5000)
    words = ("--cluster", CLUSTER, "--measurements", own, "--host-scale", "0")
    command(monkeypatch, "simulate", run, *words)
    assert command(monkeypatch, "export", run) == ExitCode.OK
    (trace,) = (run / "kineto").iterdir()
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    products = [e for e in events if e["name"] == "cublasGemmEx" and e["cat"] == "kernel"]
    assert {round(event["dur"]) for event in products} == {5000}


def test_export_puts_the_timelines_of_predictions_side_by_side(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maya.simulate(run, cluster="h100:1")
    assert command(monkeypatch, "export", run, "--cluster", "a100:1") == ExitCode.OK
    assert command(monkeypatch, "export", run, "--prediction", "h100:1") == ExitCode.OK
    assert read_prediction(run).summary.cluster.gpu.id == "a100-80"
    assert (run / "kineto").is_dir()
    assert len(list(run.glob("predictions/h100-1-*/kineto/*"))) == 1


def test_export_of_what_can_no_longer_be_repeated_is_refused(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = measurements(run.parent, 5000)
    maya.simulate(run, cluster="h100:1", measurements=own)
    measurements(run.parent, 6000)
    assert command(monkeypatch, "export", run) == ExitCode.ERROR
    assert "mine.csv has changed" in capsys.readouterr().err


def test_export_by_another_maya_that_predicts_otherwise_is_refused(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = maya.simulate(run, cluster="h100:1").summary
    assert summary.step is not None
    other = replace(summary, step=replace(summary.step, time_ms=1.0), maya_version="0.0.1")
    (run / "summary.json").write_text(other.to_json(), "utf-8")
    assert command(monkeypatch, "export", run) == ExitCode.ERROR
    said = " ".join(capsys.readouterr().err.split())
    assert "but the kept prediction, made by 0.0.1, says 1 ms" in said


def test_predictions_of_one_run_live_side_by_side(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = maya.simulate(run, cluster="h100:1")
    second = maya.simulate(run, cluster="a100:1")
    slower = maya.simulate(run, cluster="a100:1", host_scale=100)
    assert len(kept_names(run)) == 3
    assert read_prediction(run).summary == slower.summary
    assert read_prediction(run, "h100:1").summary == first.summary
    assert first.summary != second.summary
    with pytest.raises(MayaError, match="several predictions") as caught:
        read_prediction(run, "a100:1")
    plain, other = (caught.value.hint or "").removeprefix("there are: ").split(", ")
    name = min(plain, other, key=len)
    assert read_prediction(run, name).summary == second.summary
    assert max(plain, other, key=len).endswith(" (host_scale=100.0)")
    assert command(monkeypatch, "report", run, "--prediction", "h100:1") == ExitCode.OK
    shown = capsys.readouterr().out
    assert "on h100:1" in shown
    assert "other predictions" in shown
    step = str(first.step_ms)
    assert command(monkeypatch, "check", run, "--prediction", "h100:1", "--max-step-ms", step) == 0
    words = ("diff", run, run, "--prediction", "h100:1")
    assert command(monkeypatch, *words) == ExitCode.OK
    assert f"From h100:1 to {slower.summary.cluster.name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["b200:1", "../..", "", "h100:2"])
def test_a_prediction_that_is_not_there_is_an_error_that_names_those_that_are(
    run: Path, name: str
) -> None:
    maya.simulate(run, cluster="h100:1")
    with pytest.raises(MayaError, match="holds no prediction of the name") as caught:
        read_prediction(run, name)
    assert kept_names(run)[0] in (caught.value.hint or "")


def test_predictions_go_with_the_run_that_they_are_of(run: Path) -> None:
    maya.simulate(run, cluster="h100:1")
    with RunDirectory(run).claimed():
        assert kept_names(run) == []


def test_a_run_that_is_being_recorded_is_not_predicted(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as recorder:
        try:
            assert recorder.stdout is not None
            assert recorder.stdout.readline() == "held\n"
            training(tmp_path)
            with pytest.raises(MayaError, match=f"is in use by process {recorder.pid}"):
                maya.simulate(tmp_path, cluster="h100:1")
        finally:
            recorder.kill()


def test_a_run_that_is_being_predicted_is_not_recorded_over(tmp_path: Path) -> None:
    with RunDirectory(tmp_path).claimed():
        pass
    one, other = RunDirectory(tmp_path).being_read(), RunDirectory(tmp_path).being_read()
    claim = RunDirectory(tmp_path).claimed()
    with one, other, pytest.raises(MayaError, match=r"is in use$"), claim:
        pass


def test_a_capture_file_is_predicted_beside_it(run: Path) -> None:
    (capture,) = RunDirectory(run).capture_files()
    report = maya.simulate(capture, cluster="h100:1")
    assert report.run_dir == run
    assert read_prediction(run).summary == report.summary


def test_recipes_on_variants_of_one_gpu_are_recorded_apart(tmp_path: Path) -> None:
    for name, gib in (("small", 40), ("large", 141)):
        gpu = {"base": "h100", "total_memory_bytes": gib << 30}
        (tmp_path / f"{name}.yaml").write_text(json.dumps({"gpu": gpu, "per_node": 1}), "utf-8")
    file = tmp_path / "search.yaml"
    clusters = ["small.yaml", "large.yaml"]
    knobs = {"batch": {"choices": [1]}}
    asked = {"command": "python train.py {batch}", "clusters": clusters, "knobs": knobs}
    file.write_text(json.dumps(asked), "utf-8")
    state = prepare(file, SearchOptions(output=tmp_path / "s", storage="sqlite://"))
    jobs = [job_of(state, number, point) for number, point in enumerate(state.space.points)]
    assert len({job.capture_key for job in jobs}) == 2
    assert not any(job.keep_captures for job in jobs)


def test_a_run_without_a_step_is_kept_too(tmp_path: Path) -> None:
    script = Script()
    script.call(script.gemm, stream=1)
    script.save(tmp_path)
    write_facts(tmp_path, ended_by="script", exit_code=0)
    report = maya.simulate(tmp_path, cluster="h100:1")
    kept = read_prediction(tmp_path, "h100:1")
    assert kept.summary == report.summary
    assert kept.kernels() == ()
    assert collect(tmp_path).facts is not None
    assert "no updates" in repr(report)


def test_clusters_are_compared_in_one_table_and_each_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank in range(2):
        training(tmp_path, rank=rank, world=2)
    assert command(monkeypatch, "simulate", tmp_path, "--cluster", "h100:2,a100-40:2,b200:1") == 0
    said = capsys.readouterr()
    head, *lines = said.out.splitlines()
    figures = ["cluster", "GPUs used", "step", "interval", "MFU", "GiB free", "$/hour", "$/step"]
    assert [name for part in head.split("  ") if (name := part.strip())] == figures
    assert [line.split()[0] for line in lines] == ["h100:2", "a100-40:2"]
    assert all("2 of 2" in line and " us " in line for line in lines)
    assert "b200:1: the command starts 2 ranks, but b200:1 has 1" in said.err
    assert [name.rpartition("-")[0] for name in kept_names(tmp_path)] == ["a100-40-2", "h100-2"]


def test_clusters_compared_as_json_are_a_list_of_summaries(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("simulate", run, "--cluster", "h100:1,b200:1", "--json")
    assert command(monkeypatch, *words) == ExitCode.OK
    told = json.loads(capsys.readouterr().out)
    assert [summary["cluster"]["name"] for summary in told] == ["h100:1", "b200:1"]
    alone = maya.simulate(run, cluster="b200:1").summary
    assert told[1] == json.loads(alone.to_json())


def test_no_cluster_that_takes_the_run_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rank in range(2):
        training(tmp_path, rank=rank, world=2)
    words = ("simulate", tmp_path, "--cluster", "h100:1,b200:1")
    assert command(monkeypatch, *words) == ExitCode.ERROR


def trial_job(store: Path, **changes: Any) -> TrialJob:
    facts: dict[str, Any] = {
        "number": 0,
        "command": ("true",),
        "env": {},
        "directory": str(store),
        "cluster": "h100:1",
        "capture_key": "known",
        "store": str(store),
        "steps": 1,
        "max_seconds": 1.0,
        "host_scale": 1.0,
        "tokens_per_step": 8.0,
        "keep_captures": True,
        "warm": False,
    }
    return TrialJob(**(facts | changes))


def test_a_search_reuses_what_it_has_simulated_unless_that_is_damaged(tmp_path: Path) -> None:
    directory = tmp_path / "runs" / "known"
    directory.mkdir(parents=True)
    training(directory)
    write_facts(directory)
    first = run_trial(trial_job(tmp_path))
    assert (first.status, first.how) == ("ok", "resimulated")
    again = run_trial(trial_job(tmp_path))
    assert (again.how, again.metrics) == ("reused", first.metrics)
    assert read_prediction(directory).kernels()
    (place,) = (tmp_path / "simulations").iterdir()
    (place / "kernels.json").write_text("[]", "utf-8")
    assert run_trial(trial_job(tmp_path)).how == "resimulated"
    other = run_trial(trial_job(tmp_path, host_scale=2.0))
    assert other.how == "resimulated"
    assert len(kept_names(directory)) == 2


def test_a_prediction_that_cannot_be_kept_is_an_error_with_what_to_do(run: Path) -> None:
    (run / "predictions").write_text("in the way", "utf-8")
    with pytest.raises(MayaError, match=r"cannot write .*predictions") as caught:
        maya.simulate(run, cluster="h100:1")
    assert "that you may write to" in (caught.value.hint or "")
