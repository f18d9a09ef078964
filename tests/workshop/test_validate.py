"""Cases, figures and the page of the validation; nothing is emulated here."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from maya.errors import MayaError
from workshop.measurements.store import Measurements, measurements
from workshop.validate import emulation
from workshop.validate.case import Case, Outcome
from workshop.validate.check import check_one
from workshop.validate.coverage import leave_one_source_out
from workshop.validate.data import spread
from workshop.validate.emulation import EmulationFailedError, Emulator, command_of
from workshop.validate.kept import Maker, key, present_maker, sign
from workshop.validate.page import page, summary_rows
from workshop.validate.sources import find_cases
from workshop.validate.statistics import figures


def _case(measured_ms: float, name: str = "model", seen: bool = True) -> Case:
    return Case("timm-nhwc", name, "timm_benchmark.py", (), "rtx3090:1", measured_ms, seen=seen)


def _data(tmp_path: Path) -> Measurements:
    folder = tmp_path / "end_to_end"
    folder.mkdir()
    text = "model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_count"
    rows = [f"net{i},10.0,{100 + i}.5,32,224,1.0" for i in range(3)]
    for layout in ("nchw", "nhwc"):
        name = f"timm_benchmark_train_amp_{layout}_pt112_cu113_rtx3090.csv.gz"
        with gzip.open(folder / name, "wt") as file:
            file.write("\n".join([text, *rows]))
    return measurements(tmp_path)


def test_figures_leave_failed_cases_out_and_count_them():
    outcomes = [
        Outcome(_case(100), 110, 95, 125),
        Outcome(_case(100), 80, 70, 90),
        Outcome(_case(100), failure="RuntimeError: no"),
        Outcome(_case(100), failure="not run"),
    ]
    found = figures(outcomes)
    assert (found.predicted, found.failed, found.not_run) == (2, 1, 1)
    assert found.median == pytest.approx(0.15)
    assert found.bias == pytest.approx(-0.05)
    assert found.inside == 0.5


def test_the_page_lists_every_case_with_the_reason_of_failed_ones():
    outcomes = [
        Outcome(_case(100, "good"), 110, 95, 125, "device"),
        Outcome(_case(50, "bad", seen=False), failure="ValueError: a|b"),
    ]
    text = page(outcomes)
    assert "| good | rtx3090:1 | 100.0 | 110.0 | 95.0 to 125.0 | +10.0% | device | seen |" in text
    assert "| bad | rtx3090:1 | 50.0 | failed | ValueError: a/b | - | - | unseen |" in text
    assert summary_rows(outcomes)[1][:4] == ("timm-nhwc", "unseen", "0", "1")


def test_a_source_is_judged_by_the_width_that_others_chose():
    """Exact predictions of one source would print narrow intervals; the other misses by 30 %."""
    exact = [Outcome(_case(100.0), 100.0, 89.9, 110.1) for _ in range(10)]
    off = [
        Outcome(replace(_case(130.0), source="mosaic"), 100.0, 89.9, 110.1, "device")
        for _ in range(10)
    ]
    narrow, wide = leave_one_source_out([*off, *exact])
    assert (narrow.source, narrow.factor, narrow.inside) == ("mosaic", 0.0, 0.0)
    assert wide.inside == 1.0
    assert wide.factor == pytest.approx(2.98)  # 30 % over the printed 10.1 %
    assert "| mosaic | 0.00 | 10 | 0% |" in page([*off, *exact])


def test_seen_and_unseen_rows_are_disjoint_and_spread():
    chosen = spread(range(100), 5)
    assert [row for row, seen in chosen if seen] == [0, 20, 40, 60, 80]
    assert [row for row, seen in chosen if not seen] == [10, 30, 50, 70, 90]
    assert [row for row, _ in spread(range(5), 16)] == [0, 1, 2, 3, 4]


def test_rows_become_commands(tmp_path):
    (case,) = find_cases(_data(tmp_path), ["timm-nhwc"], limit=1)
    assert case.measured_ms == 100.5
    assert case.arguments[:2] == ("--model", "net0")
    assert "--channels-last" in command_of(case)


def test_batches_that_do_not_fit_with_copies_of_keys_and_values_run_without(tmp_path):
    text = "device,model,mode,batch,seq_len,variant,e2e_ms"
    rows = [f"NVIDIA_A100-PCIE-40GB,gpt3_27,inf,{batch},2048,,7000.0" for batch in (2, 8)]
    (tmp_path / "end_to_end").mkdir()
    table = tmp_path / "end_to_end" / "neusight_labels_fp32_sample.csv"
    table.write_text("\n".join([text, *rows]))
    kept, dropped = find_cases(measurements(tmp_path), ["neusight"], None)
    assert (kept.script, dropped.script) == ("transformers_eager.py", "transformers_no_cache.py")
    assert kept.without_optimizer
    assert (emulation.SCRIPTS / dropped.script).exists()


def test_missing_data_is_named_with_a_hint(tmp_path):
    with pytest.raises(MayaError, match="no measurements") as caught:
        measurements(tmp_path)
    assert "--data" in (caught.value.hint or "")


def test_an_unknown_source_is_refused(tmp_path):
    with pytest.raises(MayaError, match="unknown source"):
        find_cases(Measurements(), ["nothing"], None)


def test_a_script_that_fails_gives_its_error(tmp_path):
    case = Case("timm-nhwc", "none", "timm_benchmark.py", ("--nonsense",), "rtx3090:1", 1.0)
    with pytest.raises(EmulationFailedError, match=r"error"):
        Emulator(reuse=False, root=tmp_path).run(case)


def test_the_error_of_a_rank_is_the_reason_not_what_is_printed_after_it():
    lines = ("[rank0]: torch.OutOfMemoryError: out of memory", "next   maya report")
    assert emulation._reason("\n".join(lines)) == "torch.OutOfMemoryError: out of memory"


def test_without_emulation_a_case_that_was_never_run_is_listed_as_such(tmp_path):
    outcome = check_one(_case(100.0), Emulator(reuse=True, root=tmp_path, emulates=False))
    assert outcome.failure == "not run"


def _kept(tmp_path: Path, case: Case, maker: Maker, failure: str = "") -> Path:
    directory = Emulator(reuse=True, root=tmp_path).directory(case)
    directory.mkdir()
    (directory / "run.json").write_text("{}")
    sign(directory, maker)
    if failure:
        (directory / "failure").write_text(failure)
    return directory


def test_a_run_of_another_build_is_used_again_and_says_which(tmp_path):
    case = _case(100.0)
    kept = _kept(tmp_path, case, Maker("abc1234", "2026-01-02"))
    emulator = Emulator(reuse=True, root=tmp_path, emulates=False)
    assert emulator.run(case) == kept
    text = page([Outcome(case, 110, 95, 125, "device", maker=emulator.maker(case).label)])
    assert "Runs were made with abc1234 of 2026-01-02 (1)." in text


def test_a_run_that_was_cut_short_is_not_used(tmp_path):
    kept = _kept(tmp_path, _case(100.0), Maker("abc1234", "2026-01-02"))
    (kept / "made.json").unlink()
    with pytest.raises(EmulationFailedError, match="not run"):
        Emulator(reuse=True, root=tmp_path, emulates=False).run(_case(100.0))


def test_other_arguments_or_another_gpu_need_another_run(tmp_path):
    emulator = Emulator(reuse=True, root=tmp_path)
    case = _case(100.0)
    others = (replace(case, arguments=("--x",)), replace(case, cluster="a100-80:1"))
    assert emulator.directory(replace(case, measured_ms=1.0)) == emulator.directory(case)
    assert all(emulator.directory(other) != emulator.directory(case) for other in others)


def test_a_script_that_builds_on_another_needs_another_run_when_that_changes(tmp_path):
    script, base, kernels = (tmp_path / f"{name}.py" for name in ("sharded", "plain", "kernels"))
    script.write_text("import plain\n")
    base.write_text("import kernels\n")
    for changed in (base, kernels):
        kernels.write_text("x = 1\n")
        before = key(_case(1.0), script, 2)
        changed.write_text("import kernels\nx = 2\n")
        assert key(_case(1.0), script, 2) != before


def test_a_failure_is_kept_until_the_emulator_changes(tmp_path, monkeypatch):
    tried: list[Case] = []
    monkeypatch.setattr(emulation, "_emulate", lambda case, _: tried.append(case))
    case, emulator = _case(100.0), Emulator(reuse=True, root=tmp_path)
    directory = _kept(tmp_path, case, present_maker(), failure="an old reason")
    with pytest.raises(EmulationFailedError, match="an old reason"):
        emulator.run(case)
    sign(directory, Maker("abc1234", "2026-01-02"))
    emulator.run(case)
    assert tried == [case]
