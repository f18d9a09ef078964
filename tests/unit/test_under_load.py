"""What load makes of a job: which calls it stretches, and what the summary says of it."""

from dataclasses import replace
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import training

from maya.analyze import Options, Prediction, predict, summary_of
from maya.analyze.under_load import LoadCost
from maya.estimate import Estimate, Source
from maya.hardware import Gpu, find_cluster
from maya.report import summary_lines
from maya.trace import Definition
from maya.trace.format import Kind

TENSOR_NS, OTHER_NS = 1_000_000, 200_000


class HardProducts:
    """Products that keep tensor cores as busy as any; all else moves bytes."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate:
        if work.kind == Kind.LIBRARY:
            flops = 0.8 * device.flops_per_s["bf16"] * TENSOR_NS / 1e9
            return Estimate(TENSOR_NS, Source.MEASURED, 0.0, flops)
        return Estimate(OTHER_NS, Source.MEASURED, 0.0)


def predicted(directory: Path, world: int, *, ideal: bool = False) -> Prediction:
    directory.mkdir(exist_ok=True)
    captures = [training(directory, rank=rank, world=world) for rank in range(world)]
    options = Options(chain=HardProducts(), ideal=ideal)
    return predict(run_of(captures), find_cluster(f"h100:{world}"), options)


def test_products_slow_down_and_other_kernels_do_not(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, 1)
    assert prediction.load.clock < 0.95
    durations = set(prediction.job.program.calls.duration_ns.tolist())
    assert OTHER_NS in durations
    assert round(TENSOR_NS / prediction.load.clock) == pytest.approx(max(durations), abs=2)


def test_the_slowest_of_several_sets_the_pace_unless_gpus_are_ideal(tmp_path: Path) -> None:
    usual = predicted(tmp_path / "usual", 2)
    ideal = predicted(tmp_path / "ideal", 2, ideal=True)
    assert usual.load.slowest_cost > 0
    assert ideal.load.slowest_cost == 0
    assert usual.step_ns == pytest.approx(ideal.step_ns * (1 + usual.load.slowest_cost), rel=1e-6)
    assert usual.load.p50_ns < usual.step_ns < usual.load.p95_ns


def test_the_summary_tells_what_each_costs(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, 2)
    summary = summary_of(prediction, run_of(list(prediction.job.captures)))
    assert summary.load == prediction.load.figures()
    text = "\n".join(summary_lines(summary))
    assert "the slowest of 2 GPUs" in text
    assert "from machine to machine p50" in text


def test_nothing_is_said_where_load_costs_nothing(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, 2)
    summary = summary_of(prediction, run_of(list(prediction.job.captures)))
    lines = summary_lines(replace(summary, load=LoadCost().figures()))
    assert not any(line.startswith("under load") for line in lines)
