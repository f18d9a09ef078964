"""The table of kernel families: complete, and in agreement with the functions it names."""

import pytest

from maya.estimate import Source, default_chain
from maya.estimate.kernels.estimator import ATTENTION, COSTS, PRODUCT, TRITON
from maya.families import family_of, find_family, table
from maya.families.family_table import UNKNOWN, Pattern
from maya.hardware import find_gpu
from maya.trace import Definition
from maya.trace.format import Kind

_ELEMENTWISE = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)"
)
_EACH = (
    "void at::native::(anonymous namespace)::nll_loss_{}_no_reduce_cuda_kernel<float, long>(long)"
)
_ROWS = 4096


def test_every_row_has_a_name_of_its_own() -> None:
    names = [family.name for family in table().families]
    assert len(names) == len(set(names))
    assert "" not in names


def test_every_cost_has_a_function_and_every_function_a_row() -> None:
    told = {family.cost for family in table().families} - {"", PRODUCT, TRITON}
    assert told == {*COSTS, *ATTENTION}


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        (Pattern("reduce_kernel"), False),
        (Pattern("vectorized_elementwise_kernel"), True),
        (Pattern("vectorized*"), True),
        (Pattern(present=("FillFunctor",)), True),
        (Pattern(present=("FillFunctor", "double")), False),
        (Pattern(present=("FillFunctor", "double|float")), True),
        (Pattern(absent=("FillFunctor",)), False),
    ],
)
def test_a_pattern_asks_for_all_words_and_for_none_of_the_absent(
    pattern: Pattern, fits: bool
) -> None:
    assert pattern.fits("vectorized_elementwise_kernel", _ELEMENTWISE) is fits


def test_the_first_row_that_fits_is_the_family() -> None:
    start = "void at::native::multi_tensor_apply_kernel<at::native::"
    assert family_of(f"{start}FusedAdamMathFunctor<float, 4>>(int)").name == "fused_adam"
    assert family_of(f"{start}FusedAdamMathFunctor<float, 5>>(int)").name == "fused_adam_amsgrad"
    assert family_of(f"{start}UnaryOpFunctor<float, 1>>(int)").name == "tensor_list"
    assert family_of("somebody_elses_kernel") is UNKNOWN


def test_a_family_in_the_capture_is_believed_over_the_name() -> None:
    told = Definition(
        1, "kernel", Kind.KERNEL, {"kernel": "reduce_kernel", "family": "softmax_warp"}
    )
    assert told.family is find_family("softmax_warp")
    nobody = Definition(1, "kernel", Kind.KERNEL, {"kernel": "reduce_kernel", "family": ""})
    assert nobody.family is UNKNOWN


@pytest.mark.parametrize("fields", [{}, {"family": "a row of a later table"}])
def test_a_capture_of_another_version_is_classified_by_name(fields: dict[str, str]) -> None:
    work = Definition(1, "kernel", Kind.KERNEL, {"kernel": "reduce_kernel", **fields})
    assert work.family.name == "reduction"


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_loss_without_reduction_takes_microseconds(direction: str) -> None:
    """Half a pointer was read as 1.3 billion rows: 780 ms."""
    pointer = 0x4D41594150545200.to_bytes(8, "little")
    padding = b"\x7f" if direction == "backward" else b"\0"
    blob = _ROWS.to_bytes(4, "little") + 4 * padding + 5 * pointer + bytes(24)
    launch = {"kernel": _EACH.format(direction), "grid_x": _ROWS // 1024, "block_x": 1024}
    answer = default_chain().estimate(
        Definition(1, "kernel", Kind.KERNEL, launch, blob=blob), find_gpu("h100")
    )
    assert answer.source is Source.ANALYTICAL
    assert answer.duration_ns < 20_000
