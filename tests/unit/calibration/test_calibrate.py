"""Traces of a real GPU: what is matched, how wrong the estimates were, and what is made of it."""

import math
from pathlib import Path

import pytest
import tiny_trace

from maya.calibration import Calibration, calibrate, read_traces, write_measurements
from maya.calibration.shrink import Sample, shrink
from maya.errors import MayaError
from maya.estimate import Chain, Source, default_chain, read_measurements
from maya.estimate.works import Convolution, Product
from maya.hardware import find_gpu
from maya.testing import works

V100 = find_gpu("v100-32")
SAME = Product(512, 1024, 256, dtype="fp32").work()
CONVOLUTION = ([56, 56], [28, 28], [3, 3], [2, 2])


def found(path: Path) -> Calibration:
    return calibrate(read_traces([tiny_trace.write(path)]))


def chain(tmp_path: Path) -> Chain:
    """With the measurements of the tiny trace."""
    written = tmp_path / "measured.csv"
    write_measurements(found(tmp_path / "trace.json.gz"), written)
    own = read_measurements(written)
    return default_chain([own], corrections=own.corrections)


def test_every_kernel_of_the_trace_is_matched_to_work_with_its_own_sizes(tmp_path: Path) -> None:
    told = found(tmp_path / "trace.json")
    assert told.gpu is V100
    assert told.whole
    assert told.whole.measured_ms == pytest.approx(told.total_ms)
    families = {(one.kernel_class, one.family): one.calls for one in told.by_family()}
    assert families == {
        ("convolution", "convolution_fprop fp32"): 2,
        ("convolution", "convolution_dgrad fp32"): 2,
        ("convolution", "convolution_wgrad fp32"): 2,
        ("matmul", "product fp32"): 2,
        ("elementwise", "elementwise_vectorized"): 2,
    }


def test_the_reported_error_is_that_of_the_estimators(tmp_path: Path) -> None:
    error = next(e for e in found(tmp_path / "t.json").by_family() if e.kernel_class == "matmul")
    estimated_ms = 2 * default_chain().estimate(SAME, V100).duration_ns / 1e6
    assert error.estimated_ms == pytest.approx(estimated_ms)
    assert error.error == pytest.approx(estimated_ms / 0.201 - 1)


def test_what_was_seen_is_taken_as_measured(tmp_path: Path) -> None:
    own = chain(tmp_path)
    product = own.estimate(SAME, V100)
    assert (product.duration_ns, product.source) == (100_500, Source.MEASURED)
    assert product.flops == 2 * 512 * 1024 * 256
    dgrad = Convolution("dgrad", 32, 64, 128, *CONVOLUTION, dtype="fp32", tensor_cores=False)
    assert own.estimate(dgrad.work(), V100).duration_ns == 800_000
    assert own.estimate(works.add(1 << 22), V100).duration_ns == 50_000


def test_the_rest_of_a_family_is_corrected_by_part_of_the_error(tmp_path: Path) -> None:
    other = Product(2048, 1024, 256, dtype="fp32").work()
    plain, own = default_chain().estimate(other, V100), chain(tmp_path).estimate(other, V100)
    seen = default_chain().estimate(SAME, V100)
    whole = 100_500 / seen.duration_ns
    assert whole > 1
    assert 1 < own.duration_ns / plain.duration_ns < whole
    assert own.source == plain.source
    assert own.under_load


def test_other_families_gpus_and_classes_stay_as_they_were(tmp_path: Path) -> None:
    own = chain(tmp_path)
    for work, gpu in ((SAME, find_gpu("h100")), (works.copy(1 << 20), V100)):
        assert own.estimate(work, gpu) == default_chain().estimate(work, gpu)


def test_few_samples_correct_little_and_many_correct_all() -> None:
    def factor(count: int) -> float:
        samples = [Sample("c", "f", math.log(2), 1.0, 0.1)] * count
        return next(row.factor for row in shrink(samples, "h100") if row.family)

    assert 1 < factor(1) < factor(3) < factor(30) < 2.0001
    assert factor(1000) == pytest.approx(2, rel=0.01)


def test_uncertainty_shrinks_to_what_problems_differ_by() -> None:
    alike = [Sample("c", "f", 0.3, 1.0, 0.3)] * 100
    spread = [Sample("c", "f", 0.3 + 0.2 * (-1) ** i, 1.0, 0.3) for i in range(100)]
    left = [shrink(own, "h100")[1].uncertainty for own in (alike[:1], alike, spread)]
    assert left[1] < 0.05
    assert 0.2 < left[2] < left[0]


def test_a_family_without_samples_takes_part_of_its_class(tmp_path: Path) -> None:
    samples = [Sample("c", name, math.log(2), 1.0, 0.1) for name in "abc"]
    level = shrink(samples, "h100")[0]
    assert level.family == ""
    assert 1 < level.factor < 2


def test_nsys_finds_the_same_kernels(tmp_path: Path) -> None:
    mangled = "_ZN2at6native13reduce_kernelILi512ELi1EEEvi"
    path = tiny_trace.write_nsys(tmp_path / "report.sqlite", mangled, 7_000)
    told = calibrate(read_traces([path]))
    write_measurements(told, tmp_path / "m.csv")
    measured = read_measurements(tmp_path / "m.csv")
    answer = measured.estimate(works.kernel(mangled, grid=(9, 1, 1)), V100)
    assert answer
    assert answer.duration_ns == 7_000
    assert measured.estimate(works.kernel(mangled, grid=(10, 1, 1)), V100) is None


def test_names_of_nsys_are_those_of_the_recorder(tmp_path: Path) -> None:
    told = "void at::native::<unnamed>::k<(int)4, (bool)1>(int)"
    write_measurements(
        calibrate(read_traces([tiny_trace.write_nsys(tmp_path / "r.sqlite", told, 3_000)])),
        tmp_path / "m.csv",
    )
    name = "void at::native::(anonymous namespace)::k<4, true>(int)"
    answer = read_measurements(tmp_path / "m.csv").estimate(works.kernel(name, grid=(9,)), V100)
    assert answer
    assert answer.duration_ns == 3_000


def test_a_gpu_that_the_trace_contradicts_or_leaves_open_is_told(tmp_path: Path) -> None:
    traces = read_traces([tiny_trace.write(tmp_path / "t.json")])
    with pytest.raises(MayaError, match="of Tesla V100-SXM2-32GB, not of"):
        calibrate(traces, find_gpu("h100"))
    silent = read_traces([tiny_trace.write(tmp_path / "s.json", tiny_trace.document(gpu=""))])
    with pytest.raises(MayaError, match="which GPU was traced"):
        calibrate(silent)
    assert calibrate(silent, V100).gpu is V100
    other = read_traces(
        [tiny_trace.write(tmp_path / "o.json", tiny_trace.document(gpu="Tesla V100-SXM2-16GB"))]
    )
    with pytest.raises(MayaError, match="different GPUs: v100-16, v100-32"):
        calibrate([*traces, *other])


def test_a_trace_of_a_gpu_that_nobody_knows_is_not_taken_for_that_of_the_others(tmp_path):
    document = tiny_trace.document(gpu="Tesla V100-DGXS-32GB")
    unknown = read_traces([tiny_trace.write(tmp_path / "u.json", document)])
    known = read_traces([tiny_trace.write(tmp_path / "t.json")])
    with pytest.raises(MayaError, match="different GPUs: v100-32, 'Tesla V100-DGXS-32GB'"):
        calibrate([*unknown, *known])
    assert calibrate(unknown, V100).gpu is V100


def test_sizes_of_another_operator_are_not_the_kernels(tmp_path: Path) -> None:
    kernel = (
        "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>"
    )
    told = tiny_trace.events()
    launched = next(event for event in told if event["name"] == tiny_trace.GEMM)
    launched["name"] = kernel
    for name, known in (("aten::add_", False), ("aten::_softmax", True)):
        told[0] |= {"name": name, "args": {"Input Dims": [[16, 1000], [], []]}}
        path = tiny_trace.write(tmp_path / "t.json", tiny_trace.document(told))
        seen = calibrate(read_traces([path])).observations
        assert [one.work is not None for one in seen if one.kernel == kernel] == [known]
