"""One odd step does not move the answer; steps that take turns count together; both are said."""

from dataclasses import replace
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import FixedDurations, Script

from maya.analyze import Options, predict
from maya.analyze.step_time import note_of_steps, step_time_ns
from maya.hardware import find_cluster
from maya.simulator.collate import Job

MS = 1_000_000


def job_of(tmp_path: Path, products: list[int]) -> Job:
    """Steps of so many matrix products."""
    script = Script()
    for piece, count in enumerate([1, 1, *products], start=1):
        for _ in range(count):
            script.call(script.gemm, stream=1)
        script.call(script.boundary, a=piece, cpu_ns=0)
    options = Options(chain=FixedDurations())
    job = predict(run_of([script.save(tmp_path)]), find_cluster("h100:1"), options).job
    assert len(job.windows[0].boundaries) == len(products) + 1
    return job


@pytest.mark.parametrize(
    ("products", "lengths_ms", "step_ms", "said"),
    [
        ([2, 2, 2], [10, 10, 10], 10, None),
        ([2, 2, 2], [10, 10.2, 10], 10, None),
        ([2, 2, 2], [10, 28, 10], 10, "the same work and take from 10 to 28 ms; the median"),
        ([2, 4, 2, 4], [10, 20, 10, 20], 15, "different work and take from 10 to 20 ms; the mean"),
    ],
)  # fmt: skip
def test_the_step_of_several(
    products: list[int], lengths_ms: list[float], step_ms: float, said: str | None, tmp_path: Path
) -> None:
    ends = [0]
    for length in lengths_ms:
        ends.append(ends[-1] + round(length * MS))
    job = job_of(tmp_path, products)
    assert step_time_ns(job, ends) == step_ms * MS
    note = note_of_steps(job, ends)
    assert said in note if note and said else note is said, note


def test_steps_of_a_period_count_together_and_are_told_elsewhere(tmp_path: Path) -> None:
    job = job_of(tmp_path, [2, 2, 2])
    period = replace(job, windows=(replace(job.windows[0], cycle=3),))
    ends = [0, 10 * MS, 20 * MS, 60 * MS]
    assert step_time_ns(period, ends) == 20 * MS
    assert note_of_steps(period, ends) is None
