"""What an estimate costs once the first of its kind is known."""

import time

from benchmarks.result import Result
from maya.estimate import default_chain
from maya.hardware import find_gpu
from maya.simulator.work import Estimates
from maya.trace import Definition
from maya.trace.format import Kind

_KINDS, _CALLS = 50, 100_000


def estimate_known() -> Result:
    """Matrix products of 50 kinds, each time as if read from the capture of another rank."""
    estimates = Estimates(default_chain(), find_gpu("h100"), {})
    for number in range(_KINDS):
        estimates.of(_product(number, number))
    products = [_product(number, number % _KINDS) for number in range(_CALLS)]
    begin = time.process_time()
    for product in products:
        estimates.of(product)
    cost_us = (time.process_time() - begin) / _CALLS * 1e6
    return Result("estimate one kernel", cost_us, 2.0, "us", "CPU time, kind already known")


def _product(number: int, kind: int) -> Definition:
    names = ("transb", "b_type", "c_type", "scale_type", "lda", "ldb", "ldc", "ldd", "epilogue")
    fields = {"m": 768 + 64 * kind, "n": 12288, "k": 768, "transa": 1, "a_type": 14, "d_type": 14}
    return Definition(
        number, "cublasLtMatmul", Kind.LIBRARY, fields | dict.fromkeys(names, 1), blob=b""
    )
