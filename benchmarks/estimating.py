"""What an estimate costs: the first of its kind, one whose code is walked, and a known one."""

import time
from collections.abc import Iterable

from benchmarks.result import Result
from maya.estimate import default_chain
from maya.hardware import find_gpu
from maya.simulator.work import Estimates
from maya.trace import Definition
from maya.trace.format import Kind
from workshop.operators.store import recordings

_EVERY = 10  # of the recorded definitions
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


def estimate_new() -> Result:
    """Kernels and library calls of the operators that the workshop has recorded."""
    cost_ms = _each_ms(work for work in _recorded() if not _is_walked(work))
    return Result("estimate a new kernel", cost_ms, 1.0, "ms", "CPU time, mean over operators")


def estimate_walked() -> Result:
    """Triton's kernels among them, whose code is read and walked."""
    cost_ms = _each_ms(work for work in _recorded() if _is_walked(work))
    return Result("estimate a new kernel from its code", cost_ms, 20.0, "ms", "CPU time, mean")


def _recorded() -> list[Definition]:
    """One in ten, by their order."""
    found = {id(work): work for works in recordings().work.values() for work in works}
    return list(found.values())[::_EVERY]


def _is_walked(work: Definition) -> bool:
    return bool(work.text("code")) and not work.text("kernel").startswith("_Z")


def _each_ms(found: Iterable[Definition]) -> float:
    """With parameters at hand, which are read once."""
    chain, gpu, works = default_chain(), find_gpu("h100"), list(found)
    for number in range(_KINDS):
        chain.estimate(_product(number, number), gpu)
    begin = time.process_time()
    for work in works:
        chain.estimate(work, gpu)
    return (time.process_time() - begin) / len(works) * 1e3


def _product(number: int, kind: int) -> Definition:
    names = ("transb", "b_type", "c_type", "scale_type", "lda", "ldb", "ldc", "ldd", "epilogue")
    fields = {"m": 768 + 64 * kind, "n": 12288, "k": 768, "transa": 1, "a_type": 14, "d_type": 14}
    return Definition(
        number, "cublasLtMatmul", Kind.LIBRARY, fields | dict.fromkeys(names, 1), blob=b""
    )
