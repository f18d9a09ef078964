"""Transforms, products of vectors and solvers of the libraries."""

import pytest

from maya.estimate.chain import default_chain
from maya.estimate.types import Estimate, Source
from maya.hardware import find_gpu
from maya.trace import Definition
from maya.trace.format import Kind

A100 = find_gpu("a100-80")


def call(op: str, **fields: int) -> Estimate:
    return default_chain().estimate(Definition(0, op, Kind.LIBRARY, fields, (), b""), A100)


def test_a_transform_moves_its_points_once_and_long_rows_once_more():
    complex_ = {"rank": 1, "n1": 1, "n2": 1, "input_type": 4, "output_type": 4}
    short = call("cufftXtExec", n0=4096, batch=16384, **complex_)
    long = call("cufftXtExec", n0=1 << 20, batch=64, **complex_)
    assert short.bytes == 2 * 8 * 4096 * 16384
    assert long.bytes == 2 * short.bytes
    assert short.source == Source.ANALYTICAL
    assert call("cufftExecR2C", n0=4096, batch=16384).bytes == (4 + 8) * 4096 * 16384


def test_products_of_vectors_read_every_operand_once():
    assert call("cublasSgemv_v2", m=1000, n=500).bytes == 4 * (1000 * 500 + 1500)
    assert call("cublasDotEx", n=1000, x_type=14).bytes == 2 * 2000


@pytest.mark.parametrize("op", ["cusolverDnSgetrf", "cusolverDnXpotrf", "cusolverDnXsyevd"])
def test_columns_of_a_factorisation_wait_for_each_other(op):
    small, large = call(op, m=64, n=64), call(op, m=128, n=128)
    assert 1.8 * small.duration_ns < large.duration_ns < 3 * small.duration_ns
    assert large.uncertainty >= 0.8
    assert large.source == Source.ANALYTICAL


def test_a_routine_that_nobody_knows_stays_a_guess():
    assert call("cusolverDnSomething", m=64, n=64).source == Source.ASSUMED
