"""Runs under the emulator: PyTorch's own samples of every operator, forward and backward.

Each operator stands in a range that carries its name, so kernels can be traced to it.
"""

import importlib
import importlib.util
import sys
import types
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_flatten

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
_MOST_ELEMENTS = 1 << 20
_EACH = 6  # samples of an operator and type; later ones differ in corners of their arguments


def main() -> None:
    """All operators; one that is not for the device has no kernels."""
    warnings.simplefilter("ignore")
    for operator in load_operators():
        torch.cuda.nvtx.range_push(operator.full_name)
        for dtype in DTYPES:
            _run(operator, dtype)
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()


def load_operators() -> list[Any]:
    """PyTorch's table; its test utilities derive a class from a package that is not needed here."""
    if importlib.util.find_spec("expecttest") is None:
        package = types.ModuleType("expecttest")
        package.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = package
    module = importlib.import_module("torch.testing._internal.common_methods_invocations")
    return list(module.op_db)


def _run(operator: Any, dtype: torch.dtype) -> None:
    if dtype not in operator.supported_dtypes("cuda"):
        return
    with_gradient = dtype in operator.supported_backward_dtypes("cuda")
    try:
        for sample in _samples(operator, dtype, with_gradient):
            _forward_and_back(operator, sample, with_gradient)
    except Exception as error:  # samples check results, which an emulated device does not have
        print(f"{operator.full_name} {dtype}: {type(error).__name__}", file=sys.stderr)


def _samples(operator: Any, dtype: torch.dtype, with_gradient: bool) -> Iterator[Any]:
    found = operator.sample_inputs("cuda", dtype, requires_grad=with_gradient)
    for number, sample in enumerate(found):
        if number == _EACH:
            return
        tensors = [t for t in tree_flatten(sample.input)[0] if isinstance(t, torch.Tensor)]
        if all(tensor.numel() <= _MOST_ELEMENTS for tensor in tensors):
            yield sample


def _forward_and_back(operator: Any, sample: Any, with_gradient: bool) -> None:
    try:
        results = operator(sample.input, *sample.args, **sample.kwargs)
        tensors = [t for t in tree_flatten(results)[0] if isinstance(t, torch.Tensor)]
        wanted = [t for t in tensors if t.requires_grad]
        if with_gradient and wanted:
            torch.autograd.backward(wanted, [torch.ones_like(t) for t in wanted])
    except (RuntimeError, ValueError, NotImplementedError, IndexError, TypeError):
        return


if __name__ == "__main__":
    main()
