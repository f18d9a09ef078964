"""The shipped parameters against measurements kept from the fit. Limits may only shrink."""

import pytest

from maya.estimate.gemm.learned import trees_of
from maya.estimate.gemm.roofline import RooflineParameters
from maya.estimate.parameters import load
from workshop.fit import (
    attention,
    cudnn_attention,
    flash,
    gemm,
    gemm_fp8,
    grouped,
    memory,
    normalisation,
    planar,
    simt,
    simt_power,
)

# L40S: its 96 MB of L2 hold some of the six weights that the harness cycles through; rows that
# differ by one in m differ by 16 % in time (90th percentile) there.
GEMM_P90 = {"l40s": 0.12}
# Figures are read off a plot; its generation of kernels stands in for another.
ATTENTION_MEDIAN = {"a100-80 FlashAttention(1)": 0.07}
MEMORY_MEDIAN = 0.10
# Of the few rows above the host's floor; all rows together are within the limit.
MEMORY_EXCEPTIONS = {"a100-40 powu": 0.24, "a100-40 softmax": 0.11}


@pytest.mark.parametrize("gpu_id", gemm.SOURCES)
def test_bf16_products(gpu_id):
    fitted = RooflineParameters(**load("gemm.json")["tensor"][gpu_id])
    found = gemm.evaluate(gpu_id, fitted, trees_of(gpu_id))
    assert found.median <= 0.03
    assert found.p90 <= GEMM_P90.get(gpu_id, 0.10)


@pytest.mark.parametrize("gpu_id", attention.SOURCES)
def test_attention_forward(gpu_id):
    assert attention.evaluate(gpu_id)[gpu_id].median <= 0.06


def test_attention_both_ways():
    for label, found in flash.evaluate().items():
        assert found.median <= ATTENTION_MEDIAN.get(label, 0.06), label


def test_attention_on_blackwell():
    found = cudnn_attention.evaluate()
    assert found["blackwell cudnn forward, kept"].median <= 0.06
    assert found["blackwell cudnn backward, kept"].median <= 0.10
    assert found["blackwell flash2 forward, kept"].median <= 0.06
    assert found["blackwell flash2 backward, kept"].median <= 0.07


def test_kernels_bound_by_memory():
    for name, found in memory.evaluate().items():
        operation, _, above = name.partition(", above")
        limit = MEMORY_EXCEPTIONS.get(operation, MEMORY_MEDIAN) if above else MEMORY_MEDIAN
        assert found.median <= limit, name


def test_fp32_products():
    learned = {name: found for name, found in simt.evaluate().items() if "roofline" not in name}
    assert max(found.median for found in learned.values()) <= 0.10


def test_fp32_products_by_power():
    found = simt_power.evaluate()
    assert found["kept"].median <= 0.06
    assert max(found[gpu].median for gpu in ("h100", "h100-pcie", "l40s", "l4", "b200")) <= 0.08


def test_planar_convolutions():
    found = planar.evaluate()
    assert found["TF32 product, fitted"].median <= 0.05
    assert found["TF32 plane, kept"].median <= 0.15
    # 0.26 before 12 rows of compiled programs, with other kernels beside them, joined it.
    assert found["TF32 volume, kept"].median <= 0.28
    assert found["TF32 plane, fitted"].median <= 0.115
    assert found["TF32 plane, fitted"].p90 <= 0.42
    assert found["TF32 volume, fitted"].median <= 0.13
    assert found["TF32 channels last, kept"].median <= 0.25


def test_fp8_products():
    own = {name: found for name, found in gemm_fp8.evaluate().items() if name in gemm_fp8.GPUS}
    assert max(found.median for found in own.values()) <= 0.08


def test_grouped_products():
    assert grouped.evaluate()["a100-80"].median <= 0.10


def test_batch_normalisation():
    assert max(found.median for found in normalisation.evaluate().values()) <= 0.05
