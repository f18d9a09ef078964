"""Directories and names that are no run and no cluster: one message, a hint, a documented code."""

import sys
from pathlib import Path
from typing import Any

import pytest
from run_facts import write_facts
from training_capture import Script, training

import maya
from maya.cli import main
from maya.errors import ExitCode, MayaError
from maya.hardware import find_cluster
from maya.trace.format import Kind

ROOT = Path(__file__).resolve().parents[2]


def describe(directory: Path, **facts: Any) -> None:
    write_facts(directory, **facts)


def maya_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["maya", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize("name", ["notes.maya", "rank1-7.maya", "12.maya"])
def test_capture_of_another_run_is_no_rank_of_this_one(tmp_path: Path, name: str) -> None:
    training(tmp_path)
    describe(tmp_path)
    alone = maya.simulate(tmp_path, cluster="h100:1").step_ms
    (tmp_path / name).write_bytes(b"somebody else's")
    assert maya.simulate(tmp_path, cluster="h100:1").step_ms == alone


def test_capture_that_is_gone_is_named(tmp_path: Path) -> None:
    for rank in range(2):
        training(tmp_path, rank=rank, world=2)
    describe(tmp_path)
    (tmp_path / "rank1-101.maya").unlink()
    with pytest.raises(MayaError, match=r"rank1-101\.maya is missing"):
        maya.simulate(tmp_path, cluster="h100:2")


def test_rank_that_died_ends_in_an_error_with_its_code(tmp_path: Path) -> None:
    training(tmp_path)
    describe(tmp_path, ended_by="script", exit_code=-9)
    with pytest.raises(MayaError, match="failed with exit code -9"):
        maya.simulate(tmp_path, cluster="h100:1")


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ("h100:1", "starts 2 ranks, but h100:1 has 1 GPUs"),
        ("voodoo2:8", "unknown GPU 'voodoo2'"),
        ("h100:", "'h100:' is not a cluster"),
        ("mi300x:8", "'mi300x' is an AMD GPU"),
        ("none.yaml", "cannot read none.yaml"),
    ],
)
def test_cluster_that_cannot_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    cluster: str,
    message: str,
) -> None:
    for rank in range(2):
        training(tmp_path, rank=rank, world=2)
    describe(tmp_path)
    code, said = maya_command(monkeypatch, capsys, "simulate", str(tmp_path), "--cluster", cluster)
    assert code == ExitCode.ERROR
    assert message in said
    assert "hint:" in said
    assert not (tmp_path / "summary.json").exists()


def test_out_of_memory_has_its_own_code_and_can_be_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Script()
    reason = "out of memory: 8 bytes asked for, 3 free"
    script.call(script.define("out_of_memory", 22, text=reason))
    script.save(tmp_path)
    describe(tmp_path, ended_by="script", exit_code=1)
    code, said = maya_command(monkeypatch, capsys, "simulate", str(tmp_path), "--cluster", "h100:1")
    assert code == ExitCode.OUT_OF_MEMORY
    assert "does not fit" in said
    monkeypatch.setattr(sys, "argv", ["maya", "report", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    report = maya.simulate(tmp_path, cluster="h100:1")
    assert report.out_of_memory
    assert report.step_ms is None
    assert report.kernels.is_empty()


def test_answer_is_aligned_and_ends_with_what_to_type_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    training(tmp_path)
    describe(tmp_path)
    code, said = maya_command(monkeypatch, capsys, "simulate", str(tmp_path), "--cluster", "h100:1")
    assert code == ExitCode.OK
    answer, empty, *lines = said.splitlines()
    assert answer.startswith("A step takes ")
    assert not empty
    assert all(line[14] == " " and line[15] != " " and len(line) <= 100 for line in lines[:-2])
    assert {"step", "memory", "bound by", "critical path", "cost", "next"} <= {
        line[:15].strip() for line in lines
    }
    assert lines[-1].endswith(f"maya simulate {tmp_path} --cluster b200:1")


def test_report_of_a_run_has_frames(tmp_path: Path) -> None:
    training(tmp_path)
    describe(tmp_path)
    report = maya.simulate(tmp_path, cluster="h100:1", samples_per_step=8)
    assert report.step_ms is not None
    assert report.kernels["time_ms"].sum() > 0
    assert report.critical_path["time_ms"].sum() == pytest.approx(report.step_ms)
    assert report.memory["peak_reserved_bytes"][0] == 64 << 20
    assert report.holders["bytes"].sum() == 64 << 20
    assert len(report.ranks) == 1
    assert report.summary.throughput.samples_per_s == pytest.approx(8e3 / report.step_ms)
    assert (tmp_path / "summary.json").read_text() == report.summary.to_json()


def test_other_architecture_is_told(tmp_path: Path) -> None:
    training(tmp_path)
    describe(tmp_path)
    same = maya.simulate(tmp_path, cluster="h100:1").summary.notes
    other = maya.simulate(tmp_path, cluster="a100:1").summary.notes
    assert not any("recorded on" in note for note in same)
    assert any("recorded on h100 (hopper)" in n and "it may choose others" in n for n in other)


def test_custom_gpu_of_the_examples(tmp_path: Path) -> None:
    cluster = find_cluster(str(ROOT / "examples/clusters/h100-hbm2e.yaml"))
    assert cluster.gpus == 32
    assert cluster.gpu.total_memory_bytes > find_cluster("h100:1").gpu.total_memory_bytes
    assert cluster.gpu.power_limit_w == 500
    training(tmp_path)
    describe(tmp_path)
    custom = maya.simulate(tmp_path, cluster=str(ROOT / "examples/clusters/h100-hbm2e.yaml"))
    assert custom.summary.cluster.name == "h100-hbm2e"
    assert custom.summary.cost.usd_per_hour == 80


def test_norms_made_up_are_told_apart_from_routing(tmp_path: Path) -> None:
    script = Script()
    told = {"site": "clip.py:3 (clip)", "what": "norm", "policy": "norm 2"}
    script.call(script.define("value_policy", Kind.VALUE_POLICY, **told))
    script.call(script.gemm, stream=1)
    script.save(tmp_path)
    describe(tmp_path)
    notes = maya.simulate(tmp_path, cluster="h100:1").summary.notes
    assert any("so Maya assumed 2 (first at clip.py:3" in note for note in notes)
    assert not any("--routing" in note for note in notes)


def test_masks_taken_to_be_half_full_are_told(tmp_path: Path) -> None:
    script = Script()
    told = {"site": "boxes.py:5 (keep)", "what": "mask", "policy": "half"}
    script.call(script.define("value_policy", Kind.VALUE_POLICY, **told))
    script.call(script.gemm, stream=1)
    script.save(tmp_path)
    describe(tmp_path)
    notes = maya.simulate(tmp_path, cluster="h100:1").summary.notes
    assert any("half of each is set (first at boxes.py:5" in note for note in notes)
    assert not any("--routing" in note for note in notes)


def test_routing_policy_and_values_read_are_told(tmp_path: Path) -> None:
    script = Script()
    told = {"site": "moe.py:7 (route)", "what": "experts", "policy": "zipf:1"}
    script.call(script.define("value_policy", Kind.VALUE_POLICY, **told))
    script.call(script.define("value_read", Kind.VALUE_READ, site="moe.py:9 (log)", bytes=4))
    script.call(script.gemm, stream=1)
    script.save(tmp_path)
    describe(tmp_path, routing="zipf:1")
    notes = maya.simulate(tmp_path, cluster="h100:1").summary.notes
    assert any("policy 'zipf:1'" in note and "moe.py:7" in note for note in notes)
    assert any("moe.py:9" in note for note in notes)


def test_a_report_shows_itself_in_notebooks_and_writes_its_page(tmp_path: Path) -> None:
    training(tmp_path)
    describe(tmp_path)
    report = maya.simulate(tmp_path, cluster="h100:1", samples_per_step=8)
    shown = report._repr_html_()
    assert shown.startswith("<b>A step takes ")
    assert "<th style='text-align:left'>memory</th>" in shown
    assert "<html" in report.page(tmp_path / "own.html").read_text("utf-8")[:200].lower()
