"""Trials that cannot win end early: the bound, by hand, and what the loop makes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from search_files import FormulaPool, metrics, search_file
from training_capture import GEMM_NS, KERNEL_NS, FixedDurations, Script

from maya.hardware import find_cluster
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.engine import Search, SearchOptions
from maya.recipe_search.trials.bound import StepBound
from maya.recipe_search.trials.jobs import TrialOutcome

COPY, RECORD, WAIT = 3, 7, 8
FILE: dict[str, Any] = {
    "command": "python train.py {a}",
    "knobs": {"a": {"range": [1, 6]}},
    "derived": {},
    "constraints": [],
    "sampler": "grid",
}


class Step(Script):
    """A rank in the middle of its run."""

    def bound(self, directory: Path) -> int:
        path = directory / "rank0-1.maya"
        self.events(*self.calls)
        path.write_bytes(self.header() + b"".join(self.blocks))  # not ended: it still runs
        return StepBound(find_cluster("h100:1"), FixedDurations()).so_far(directory).step_ns


def test_the_first_step_is_no_measure(tmp_path: Path) -> None:
    script = Step()
    for _ in range(5):  # weights, an evaluation, tuning
        script.call(script.gemm, stream=1)
    script.call(script.boundary)
    script.call(script.kernel, stream=1)
    assert script.bound(tmp_path) == KERNEL_NS


def test_a_copy_counts_once_a_kernel_waits_for_it(tmp_path: Path) -> None:
    script = Step()
    script.call(script.boundary)
    script.call(script.kernel, stream=1)
    copied = script.define("cudaMemcpyAsync", COPY, bytes=1 << 20, direction=1, pageable=0)
    script.call(copied, stream=2)
    script.call(copied, stream=2)
    script.call(script.define("cudaEventRecord", RECORD), stream=2, a=9, b=4)
    assert script.bound(tmp_path) == KERNEL_NS
    script.calls = script.calls[-1:]
    script.call(script.define("cudaStreamWaitEvent", WAIT), stream=1, a=9, b=4)
    script.call(script.kernel, stream=1)
    assert script.bound(tmp_path) == 3 * KERNEL_NS


@pytest.mark.parametrize(
    ("steps", "bound"), [((1, 3), 3), ((1, 3, 2), 2), ((1, 1, 9, 1), 1), ((3, 1, 3), 3)]
)
def test_a_later_step_counts_from_the_end_of_the_one_before_and_a_single_long_one_does_not(
    steps: tuple[int, ...], bound: int, tmp_path: Path
) -> None:
    script = Step()
    script.call(script.gemm, stream=1)
    for gemms in steps:
        script.call(script.boundary)
        for _ in range(gemms):
            script.call(script.gemm, stream=1)
    assert script.bound(tmp_path) == bound * GEMM_NS


@pytest.mark.parametrize("waits", [False, True])
def test_streams_overlap_unless_one_waits_for_the_other(waits: bool, tmp_path: Path) -> None:
    script = Step()
    script.call(script.boundary)
    script.call(script.gemm, stream=1)
    script.call(script.define("cudaEventRecord", RECORD), stream=1, a=9, b=4)
    if waits:
        script.call(script.define("cudaStreamWaitEvent", WAIT), stream=2, a=9, b=4)
    script.call(script.gemm, stream=2)
    assert script.bound(tmp_path) == (2 if waits else 1) * GEMM_NS


def run(directory: Path, pool: FormulaPool, **changes: Any) -> Search:
    options = SearchOptions(output=directory, jobs=pool.size, storage="sqlite://")
    return search(search_file(**(FILE | changes)), options=options, pool=pool)


def slower_and_slower(words: list[str]) -> TrialOutcome:
    step = 100.0 * int(words[2])
    if step > 200:
        return TrialOutcome("hopeless", metrics={"step_ms": 150.0, "usd_per_step": 0.1})
    return TrialOutcome("ok", metrics=metrics(step))


def test_a_trial_is_told_which_step_nobody_wants(tmp_path: Path) -> None:
    pool = FormulaPool(1, slower_and_slower)
    state = run(tmp_path, pool, hopeless=1.5)
    limits = [job.stop_above_ms for job in sorted(pool.ran, key=lambda job: job.number)]
    assert limits == [None, *[pytest.approx(150.0)] * 5]
    answer = answer_of(state)
    assert (answer.document.counts.hopeless, len(answer.ranked)) == (4, 2)
    assert len(answer.document.hopeless) == 4


def larger_and_larger(words: list[str]) -> TrialOutcome:
    return TrialOutcome("ok", metrics=metrics(9)) if int(words[2]) < 3 else TrialOutcome("oom")


@pytest.mark.parametrize("formula", [slower_and_slower, larger_and_larger])
def test_one_rank_goes_first_while_many_trials_are_in_vain(
    formula: Callable[[list[str]], TrialOutcome], tmp_path: Path
) -> None:
    pool = FormulaPool(1, formula)
    run(tmp_path, pool, hopeless=1.5)
    alone = [job.alone_first for job in sorted(pool.ran, key=lambda job: job.number)]
    assert alone == [False, False, False, True, True, True]


@pytest.mark.parametrize(
    "changes",
    [
        {"hopeless": None},
        {"prune": False},
        {"objectives": ["memory_headroom"]},
        {"objectives": ["step_time", "usd_per_step"]},
    ],
)
def test_without_a_single_time_to_beat_no_trial_is_ended(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    pool = FormulaPool(1, lambda words: TrialOutcome("ok", metrics=metrics(float(words[2]))))
    run(tmp_path, pool, **changes)
    assert {job.stop_above_ms for job in pool.ran} == {None}


def test_limits_are_a_tokens_price_where_tokens_are_counted(tmp_path: Path) -> None:
    def same_step(words: list[str]) -> TrialOutcome:
        return TrialOutcome("ok", metrics=metrics(100.0) | {"mfu": 0.01 * int(words[2])})

    pool = FormulaPool(1, same_step)
    changes = {"objectives": ["usd_per_1b_tokens"], "tokens_per_step": "a * 1000", "hopeless": 1.0}
    run(tmp_path, pool, **changes)
    second, third = sorted(pool.ran, key=lambda job: job.number)[1:3]
    assert second.stop_above_ms is not None
    assert third.stop_above_ms is not None
    # Three thousand tokens may take half as long again as two, but the best token so far costs
    # half of what it did one trial before.
    assert third.stop_above_ms / second.stop_above_ms == pytest.approx((3 / 2) * (1 / 2))
