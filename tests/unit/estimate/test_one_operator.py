"""`maya.estimate`: single operators are given the durations that recorded ones get."""

import importlib
from inspect import signature
from typing import Any

import pytest

import maya
from maya.errors import MayaError
from maya.estimate import default_chain
from maya.estimate.attention import AttentionProblem, attention_estimate
from maya.estimate.collectives import CollectiveCall, CollectiveModel
from maya.hardware import find_cluster, find_gpu
from maya.testing import works

H100 = find_gpu("h100")


def test_products_are_those_of_recorded_calls() -> None:
    told = maya.estimate("linear", [(8, 1024, 4096), (512, 4096)], "bf16", "h100")
    pitches = {"lda": 4096, "ldb": 4096, "ldc": 512}
    recorded = default_chain().estimate(works.gemm(512, 8192, 4096, **pitches), H100)
    assert told.duration_us == recorded.duration_ns / 1e3
    assert (told.source, told.flops) == (recorded.source, recorded.flops)


def test_batches_and_types_of_products_count() -> None:
    one = maya.estimate("matmul", [(2048, 512), (512, 2048)], "fp32", "a100-80")
    many = maya.estimate("matmul", [(8, 2048, 512), (8, 512, 2048)], "fp32", "a100-80")
    assert 4 < many.duration_us / one.duration_us < 10
    assert maya.estimate("matmul", [(2048, 512), (512, 2048)], "tf32", "a100-80").duration_us < (
        one.duration_us
    )


@pytest.mark.parametrize("name", ["bfloat16", "torch.bfloat16"])
def test_types_have_pytorchs_names_too(name: str) -> None:
    shapes = [(64, 512), (512, 64)]
    assert maya.estimate("matmul", shapes, name) == maya.estimate("matmul", shapes, "bf16")


def test_elementwise_kernels_are_those_of_recorded_launches() -> None:
    told = maya.estimate("elementwise", [(4096, 4096), (4096, 4096)], "fp32", "h100")
    recorded = default_chain().estimate(works.add(1 << 24), H100)
    assert told.duration_us == pytest.approx(recorded.duration_ns / 1e3, rel=0.01)
    assert told.uncertainty == recorded.uncertainty
    row = maya.estimate("elementwise", [(4096, 4096), (4096,)], "fp32", "h100")
    assert row.bytes < told.bytes


def test_attention_is_that_of_flash_attention() -> None:
    shapes = [(4, 32, 2048, 128), (4, 8, 2048, 128), (4, 8, 2048, 128)]
    told = maya.estimate("attention", shapes, "bf16", "h100", causal=True, backward=True)
    problem = AttentionProblem(4, 32, 8, 2048, 2048, 128, causal=True, backward=True)
    assert told.duration_us == attention_estimate(problem, H100).duration_ns / 1e3


def test_collectives_are_those_of_the_cluster() -> None:
    cluster = find_cluster("h100:8x2")
    told = maya.estimate("reduce_scatter", [(1 << 28,)], "bf16", cluster)
    call = CollectiveCall("ncclReduceScatter", (1 << 29) // 16, tuple(range(16)))
    assert told.duration_us == CollectiveModel(cluster).estimate(call).duration_ns / 1e3
    pair = maya.estimate("send_recv", [(1 << 20,)], "bf16", "h100:8x2")
    assert pair.duration_us > maya.estimate("send_recv", [(1 << 20,)], "bf16", "h100:8").duration_us


@pytest.mark.parametrize(
    ("op", "shapes", "options"),
    [
        ("convolution", [(8, 64, 28, 28), (64, 64, 3, 3)], {"padding": 1}),
        ("convolution", [(8, 64, 28, 28), (64, 64, 3, 3)], {"stride": 2, "backward": True}),
        ("layer_norm", [(4096, 1024)], {}),
        ("rms_norm", [(4096, 1024)], {"backward": True}),
        ("batch_norm", [(8, 64, 28, 28)], {}),
    ],
)
def test_every_answer_has_an_interval_around_it(
    op: str, shapes: list[tuple[int, ...]], options: dict[str, Any]
) -> None:
    small = maya.estimate(op, shapes, "fp16", "a100-80", **options)
    large = maya.estimate(op, [(32 * shapes[0][0], *shapes[0][1:]), *shapes[1:]], "fp16", "a100-80",
                          **options)  # fmt: skip
    assert 0 < small.low_us < small.duration_us < small.high_us < large.high_us
    assert small.duration_us < large.duration_us


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("dance", [(1,)]), "unknown operator 'dance'"),
        (("matmul", [(2, 3), (4, 5)]), r"takes \[..., m, k\] and \[k, n\]"),
        (("matmul", [(2, 3)]), "2 shapes of 2 sides or more"),
        (("attention", [(1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 5)]), "q, k and v"),
        (("convolution", [(1, 3, 4, 4), (8, 3, 7, 7)]), "no smaller than the filter"),
        (("elementwise", [(4, 3), (4, 2)]), "broadcast to one"),
        (("elementwise", []), "1 shapes of 0 sides"),
        (("layer_norm", [(0, 8)]), "whole number above zero"),
        (("layer_norm", [(8, 8)], "int4"), "unknown type 'int4'"),
        (("layer_norm", [(8, 8)], "bf16", "h1000"), "unknown GPU"),
        (("all_reduce", [(8, 8)], "bf16", "h100"), "needs a cluster"),
    ],
)
def test_what_makes_no_operator_is_told(asked: tuple[Any, ...], message: str) -> None:
    with pytest.raises(MayaError, match=message):
        maya.estimate(*asked)


def test_the_package_of_the_same_name_is_still_one() -> None:
    package: Any = importlib.import_module("maya.estimate")
    assert signature(package) == signature(package.estimate)
    assert package.Chain is type(default_chain())
    assert package("layer_norm", [(64, 64)]) == maya.estimate("layer_norm", [(64, 64)])
