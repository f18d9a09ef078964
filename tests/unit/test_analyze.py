"""From simulated time to answers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from run_facts import run_of
from training_capture import GEMM_NS, KERNEL_NS, FixedDurations, Script, training

from maya.analyze import (
    Options,
    Prediction,
    answer_of,
    predict,
    summary_of,
)
from maya.analyze.diff import KernelChange, compare
from maya.analyze.intervals import clip, covered, outside
from maya.analyze.memory import ended_out_of_memory, memory_of
from maya.analyze.tables import kernel_table
from maya.analyze.uncertainty import DEVICE, device_uncertainty
from maya.errors import MayaError
from maya.hardware import find_cluster, find_gpu
from maya.report import duration, summary_lines
from maya.summary import keep_prediction, read_prediction
from maya.summary.figures import PathShares
from maya.trace import Run, collect


def predicted(
    tmp_path: Path, *, world: int = 1, cluster: str = "h100:8", scale: float = 1.0
) -> Prediction:
    captures = [training(tmp_path, rank=rank, world=world) for rank in range(world)]
    return predict(run_of(captures), find_cluster(cluster), Options(chain=FixedDurations(scale)))


def array(*values: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, np.int64)


def test_covered_counts_overlaps_once() -> None:
    assert covered(array(0, 5, 20), array(10, 12, 25)) == 17
    assert covered(array(), array()) == 0


def test_outside_is_what_nothing_else_covers() -> None:
    assert outside(array(0), array(100), array(10, 50), array(30, 60)) == 70


def test_clip_drops_what_lies_outside() -> None:
    start, end = clip(array(0, 50, 200), array(20, 150, 300), 10, 100)
    assert (start.tolist(), end.tolist()) == ([10, 50], [20, 100])


def test_step_of_a_device_bound_loop_is_its_work(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, cluster="h100:1")
    gaps = 3 * find_cluster("h100:1").host.gap_ns
    assert prediction.step_ns == 2 * GEMM_NS + KERNEL_NS + gaps
    assert prediction.steps == 3
    assert not prediction.host_bound


def test_step_of_a_host_bound_loop_is_its_calls(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, cluster="h100:1", scale=0.001)
    assert prediction.host_bound
    calls = find_cluster("h100:1").host.calls_ns
    assert prediction.step_ns == 3000 + 2 * calls["library"] + calls["kernel"]


def test_interval_holds_the_prediction(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, cluster="h100:1")
    assert prediction.low_ns < prediction.step_ns < prediction.high_ns


def test_errors_of_one_class_do_not_average_out(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, cluster="h100:1")
    estimates = prediction.job.definition_tables[0].estimates.values()
    least = min(estimate.uncertainty for estimate in estimates)
    spread = device_uncertainty(prediction.job, find_gpu("rtx3090"))
    assert spread >= DEVICE
    # However many calls a class has, its share counts with its whole uncertainty.
    assert spread**2 >= DEVICE**2 + least**2 / len({e.uncertainty for e in estimates})


def test_exposed_communication_is_what_compute_does_not_hide(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, world=2)
    (match,) = {match.members for match in prediction.job.matches}
    assert match == (0, 1)
    for rank in prediction.ranks:
        assert rank.exposed_ms == pytest.approx(rank.communication_ms)
        assert rank.busy_ms == pytest.approx(rank.compute_ms + rank.communication_ms)


def test_network_makes_the_same_run_slower(tmp_path: Path) -> None:
    inside = predicted(tmp_path, world=2, cluster="h100:2")
    across = predicted(tmp_path, world=2, cluster="h100:1x2")
    assert across.step_ns > inside.step_ns


def test_critical_path_of_a_device_bound_step_is_its_kernels(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, cluster="h100:1")
    path = prediction.path
    assert sum(path.categories.values()) == pytest.approx(prediction.step_ns / 1e6)
    assert path.categories["matmul"] == pytest.approx(2 * GEMM_NS / 1e6)
    assert path.contributors[0].name == "cublasGemmEx"
    assert path.contributors[0].count == 2
    assert "host" not in path.categories


def test_critical_path_of_a_host_bound_step_is_its_calls(tmp_path: Path) -> None:
    path = predicted(tmp_path, cluster="h100:1", scale=0.001).path
    assert next(iter(path.categories)) == "host"


def test_critical_path_holds_the_communication_of_ranks(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, world=2)
    assert prediction.path.categories["communication"] > 0
    assert sum(prediction.path.categories.values()) == pytest.approx(
        (prediction.step_ends_ns[-1] - prediction.step_ends_ns[-2]) / 1e6
    )


def test_peak_memory_is_in_the_drivers_pages(tmp_path: Path) -> None:
    script = Script()
    alloc = script.define("alloc", 5, what="device", device=0)
    free = script.define("free", 6, what="device", device=0)
    script.call(alloc, a=0x1000, b=3 << 20)
    script.call(alloc, a=0x2000, b=512)
    script.call(free, a=0x1000, b=3 << 20)
    script.call(alloc, a=0x3000, b=1 << 20)
    found = memory_of(script.save(tmp_path), 0)
    assert found.peak_allocated_bytes == (3 << 20) + 512
    assert found.peak_reserved_bytes == 6 << 20
    assert found.holders == {"device": (3 << 20) + 512}


def test_failed_allocation_at_the_end_is_out_of_memory(tmp_path: Path) -> None:
    script = Script()
    failed = script.define("out_of_memory", 22, text="out of memory: 8 bytes asked for, 4 free")
    script.call(script.gemm, stream=1)
    script.call(failed)
    assert ended_out_of_memory(script.save(tmp_path))


def test_failed_allocation_that_was_survived_is_not(tmp_path: Path) -> None:
    script = Script()
    failed = script.define("out_of_memory", 22, text="out of memory: 8 bytes asked for, 4 free")
    script.call(failed)
    script.call(script.gemm, stream=1)
    assert not ended_out_of_memory(script.save(tmp_path))


def test_summary_says_where_durations_come_from_and_what_is_known_of_the_batch(
    tmp_path: Path,
) -> None:
    options = Options(chain=FixedDurations(), tokens_per_step=1000)
    prediction = predict(run_of([training(tmp_path)]), find_cluster("h100:8"), options)
    summary = summary_of(prediction, collect(tmp_path))
    assert summary.provenance is not None
    assert {"measured", "learned", "analytical", "assumed"} == summary.provenance.keys()
    assert sum(summary.provenance.values()) == pytest.approx(1)
    assert summary.throughput.samples_per_s is None
    assert summary.throughput.tokens_per_s == pytest.approx(1e12 / prediction.step_ns)
    assert summary.emulation.launched_ranks == 1


def test_summary_survives_a_round_trip_and_reads_well(tmp_path: Path) -> None:
    summary = summary_of(predicted(tmp_path), collect(tmp_path))
    keep_prediction(tmp_path, summary, ())
    assert read_prediction(tmp_path).summary == summary
    lines = summary_lines(summary)
    assert any("[bold]the GPU[/]: GPU busy" in line for line in lines)
    assert "85% interval" in lines[0]


def test_the_summary_leaves_out_shares_that_round_to_nothing(tmp_path: Path) -> None:
    summary = summary_of(predicted(tmp_path), collect(tmp_path))
    path = PathShares({"matmul": 99.8, "copy": 0.2}, (), (0,))
    cost = replace(summary.cost, price_date="unchecked")
    text = "\n".join(summary_lines(replace(summary, critical_path=path, cost=cost)))
    assert "100% matmul" in text
    assert "copy" not in text
    assert "(price unchecked)" in text


def test_missing_summary_says_what_to_do(tmp_path: Path) -> None:
    training(tmp_path)
    with pytest.raises(MayaError) as caught:
        read_prediction(tmp_path)
    assert "maya simulate" in (caught.value.hint or "")


def test_table_adds_up_to_the_device_time(tmp_path: Path) -> None:
    prediction = predicted(tmp_path, cluster="h100:1")
    rows = kernel_table(prediction)
    assert sum(row.time_ms for row in rows) == pytest.approx((2 * GEMM_NS + KERNEL_NS) / 1e6)
    assert rows[0].name == "cublasGemmEx"
    assert rows[0].calls == 2


def test_diff_names_what_changed(tmp_path: Path) -> None:
    runs = []
    for name, scale in (("a", 1.0), ("b", 2.0)):
        directory = tmp_path / name
        directory.mkdir()
        prediction = predicted(directory, scale=scale)
        summary = summary_of(prediction, collect(directory))
        keep_prediction(directory, summary, kernel_table(prediction))
        runs.append(read_prediction(directory))
    found = compare(*runs)
    step = found.totals[0]
    assert step.before is not None
    assert step.after is not None
    assert step.after > 1.9 * step.before
    assert found.kernels[0].name == "cublasGemmEx"
    assert found.kernels[0].cause == "each +100%"
    assert found.path[0].name == "matmul"


def test_diff_tells_more_calls_from_slower_ones() -> None:
    assert KernelChange("k", 1.0, 2.0, 10, 20).cause == "10 -> 20 calls"
    assert KernelChange("k", 1.0, 1.5, 10, 10).cause == "each +50%"
    assert KernelChange("k", 0.0, 1.5, 0, 10).cause == "new"
    assert KernelChange("k", 1.5, 0.0, 10, 0).cause == "gone"


def test_diff_with_a_run_that_has_no_step(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    prediction = predicted(tmp_path / "a", cluster="h100:1")
    summary = summary_of(prediction, collect(tmp_path / "a"))
    keep_prediction(tmp_path / "a", summary, kernel_table(prediction))
    script = Script()
    script.call(script.gemm, stream=1)
    script.save(tmp_path / "b")
    failed = answer_of(collect(tmp_path / "b"), find_cluster("h100:1"))
    keep_prediction(tmp_path / "b", failed.summary, failed.kernels())
    found = compare(read_prediction(tmp_path / "a"), read_prediction(tmp_path / "b"))
    assert found.totals[0].after is None
    assert {change.cause for change in found.kernels} == {"gone"}


@pytest.mark.parametrize(
    ("op", "fields", "cluster", "precision"),
    [
        ("cublasSgemm_v2", {"m": 64, "n": 64, "math_mode": 3, "a_type": 0}, "h100:1", "tf32"),
        ("cublasSgemm_v2", {"m": 64, "n": 64, "math_mode": 0, "a_type": 0}, "h100:1", "fp32"),
        ("cublasSgemm_v2", {"m": 64, "n": 64, "math_mode": 3, "a_type": 0}, "v100-16:1", "fp32"),
        ("cudnn_conv_fprop", {"n": 4, "c": 64, "notes": 1, "x_type": 0}, "h100:1", "tf32"),
        ("cudnn_conv_fprop", {"n": 4, "c": 64, "notes": 0, "x_type": 0}, "h100:1", "fp32"),
    ],
)
def test_utilisation_is_of_the_units_that_do_the_work(
    op: str, fields: dict[str, int], cluster: str, precision: str, tmp_path: Path
) -> None:
    script = Script()
    product = script.define(op, 2, k=64, **fields)
    for piece in range(1, 4):
        script.call(product, stream=1)
        script.call(script.boundary, a=piece, cpu_ns=0)
    target = find_cluster(cluster)
    found = predict(run_of([script.save(tmp_path)]), target)
    assert found.flops.peak_per_s == target.gpu.flops_per_s[precision]


def test_missing_rank_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match="no capture of rank 1"):
        predict(run_of([training(tmp_path, rank=0, world=2)]), find_cluster("h100:8"))


def test_mixed_runs_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    captures = [training(tmp_path, world=1), training(tmp_path / "x", rank=1, world=2)]
    with pytest.raises(MayaError, match="different runs"):
        predict(run_of(captures), find_cluster("h100:8"))


def test_contradiction_of_cluster_and_command_is_an_error(tmp_path: Path) -> None:
    captures = [training(tmp_path, rank=rank, world=2) for rank in range(2)]
    with pytest.raises(MayaError, match="starts 2 ranks, but h100:1 has 1"):
        predict(run_of(captures), find_cluster("h100:1"))


def test_smaller_gpu_is_predicted_to_run_out_of_memory(tmp_path: Path) -> None:
    script = Script()
    script.call(script.define("alloc", 5, what="device", device=0), a=0x1000, b=60 << 30)
    script.call(script.gemm, stream=1)
    run = Run(tmp_path, (script.save(tmp_path),))
    for cluster, fits in (("h100:1", True), ("a100-40:1", False)):
        prediction = predict(run, find_cluster(cluster), Options(chain=FixedDurations()))
        memory = summary_of(prediction, run).memory
        assert memory.oom is not fits
        assert (memory.missing_bytes > 20 << 30) is not fits


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(2500, "2.50 s"), (2.5, "2.50 ms"), (0.25, "250.0 us")]
)
def test_durations_read_well(milliseconds: float, text: str) -> None:
    assert duration(milliseconds) == text
