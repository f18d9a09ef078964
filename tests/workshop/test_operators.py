"""Cases, records and figures of single operators; nothing is emulated here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from maya.trace import Definition
from maya.trace.format import Kind
from workshop.measurements.store import measurements
from workshop.operators.case import FORWARD, Case, Program
from workshop.operators.check import Outcome
from workshop.operators.coverage import coverage
from workshop.operators.emulation import missing
from workshop.operators.figures import figures
from workshop.operators.page import page
from workshop.operators.recording import Recordings, load, save
from workshop.operators.sources import find_cases
from workshop.operators.sources.kernelbench_chains import chain
from workshop.operators.store import recordings


def _case(measured_ns: float, problem: str = "add", looked_at: bool = False) -> Case:
    program = Program("scale", {"shape": [8, 8]})
    return Case("kernelbench", problem, "elementwise", program, "h100", measured_ns, looked_at)


def test_a_third_of_the_problems_is_kept_and_all_sizes_of_one_go_together():
    cases = find_cases(measurements())
    splits: dict[tuple[str, str], set[str]] = {}
    for case in cases:
        splits.setdefault((case.source, case.problem), set()).add(case.split)
    assert all(len(found) == 1 for found in splits.values())
    kept = sum(found == {"kept"} for found in splits.values())
    assert 0.25 < kept / len(splits) < 0.45


def test_a_source_that_was_looked_at_is_never_kept():
    assert all(not _case(1.0, str(number), looked_at=True).kept for number in range(9))
    assert any(_case(1.0, str(number)).kept for number in range(9))


def test_what_a_script_does_around_an_operator_makes_no_other_problem():
    cases = [c for c in find_cases(measurements()) if c.program.name == "rms_norm"]
    assert {c.program.parameters["gradients"] for c in cases} == {"drawn", "of the input's type"}
    assert not any("gradients" in c.problem or "weight" in c.problem for c in cases)


def test_nearly_every_case_is_recorded():
    cases = find_cases(measurements())
    lost = missing([case.program for case in cases if not case.program.compiled], recordings())
    assert not lost


def test_recordings_survive_their_file(tmp_path):
    fields: Mapping[str, Any] = {"kernel": "k" * 300, "grid_x": 7}
    work = Definition(0, "kernel", Kind.KERNEL, fields, (3,), b"\0\1")
    kept = Recordings({"a": (work, work), "b": ()})
    save(kept, tmp_path / "file.xz")
    assert load(tmp_path / "file.xz").work == kept.work
    assert not load(tmp_path / "none.xz").work


def test_a_time_that_launches_explain_is_told_apart():
    assert Outcome(_case(100_000.0), 1_000.0, kernels=4).launch_bound
    assert not Outcome(_case(1_000_000.0), 1_000.0, kernels=4).launch_bound


def test_the_worst_is_the_largest_factor():
    outcomes = [Outcome(_case(1.0), predicted, 1) for predicted in (0.25, 1.0, 2.9)]
    assert figures(outcomes).worst == pytest.approx(-0.75)


def test_rows_of_older_software_are_apart():
    outcomes = [Outcome(_case(1e9, str(number)), 1e9, 1) for number in range(9)]
    old = replace(_case(1e9, "old"), outdated=True)
    above, _, below = page([*outcomes, Outcome(old, 9e9, 1)]).partition("## Older software")
    assert "+800%" not in above
    assert "+800%" in below


def test_the_page_tells_kept_from_fitted():
    outcomes = [Outcome(_case(1e9, str(number)), 1e9, 1) for number in range(9)]
    text = page(outcomes)
    assert "| kernelbench | eager | kept |" in text
    assert "| kernelbench | eager | fit |" in text
    assert FORWARD in text


def test_a_problem_with_layers_behind_it_becomes_steps():
    sizes = {"batch_size": 2, "in_features": 8, "out_features": 4, "scale_shape": [4]}
    name, found = chain("33_Gemm_Scale_BatchNorm", sizes)
    assert name == "chain"
    assert found["steps"] == [["linear", 8, 4], ["multiply", [4]], ["batch_norm", 4]]


def test_no_kernel_of_pytorchs_own_samples_is_only_guessed():
    found = coverage()
    assert found.kernels > 1500
    assert not found.assumed


def test_the_page_holds_rows_against_their_goals_and_names_only_fit_rows_that_are_far_off():
    outcomes = [Outcome(_case(1e9, f"{number}_add"), 3e9, 1) for number in range(9)]
    text = page(outcomes)
    goals, _, rest = text.partition("## Found wrong once")
    assert "| KernelBench level 1, h100 |" in goals
    named = [o for o in outcomes if f"| {o.case.problem} |" in goals]
    assert named == [o for o in outcomes if not o.case.kept]
    assert rest
