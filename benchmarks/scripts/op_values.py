"""PyTorch's own operator samples: which results the emulated device gives as the CPU does.

Run under `maya emulate`. Prints one JSON object a line, for each operator and type: how many
samples were equal, unknown, wrong, or ended in an error that the CPU does not raise. An operator
that is begun and has no line ended the process.
"""

import argparse
import ctypes
import importlib
import importlib.util
import json
import math
import sys
import types
import unittest
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map

MOST_ELEMENTS = 4096
DTYPES = {"bool": torch.bool, "int32": torch.int32, "int64": torch.int64, "float32": torch.float32}
TOLERANCE = 1e-3
# Of nothing: PyTorch's own host code for the device divides by zero.
NOT_OF_NOTHING = {"nonzero_static"}
# Their results have other shapes on the CPU.
OTHERS = {"native_batch_norm", "_native_batch_norm_legit"}
CORE = ctypes.CDLL(None)
CORE.maya_known_bytes.restype = ctypes.c_size_t
CORE.maya_unknown_reads.restype = ctypes.c_uint64
Bytes = ctypes.c_uint8


def load_operators() -> list[Any]:
    """PyTorch's table; its test utilities derive a class from a package that is not needed here."""
    if importlib.util.find_spec("expecttest") is None:
        package = types.ModuleType("expecttest")
        package.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = package
    module = importlib.import_module("torch.testing._internal.common_methods_invocations")
    return list(module.op_db)


class Placed:
    """Copies of tensors with their strides; views of one storage stay views of one."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._storages: dict[int, torch.UntypedStorage] = {}

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if value.layout != torch.strided:
            raise NotImplementedError(value.layout)
        storage = value.untyped_storage()
        key = storage._cdata
        if key not in self._storages:
            raw = torch.empty(0, dtype=torch.uint8).set_(storage)
            self._storages[key] = raw.to(self._device, copy=True).untyped_storage()
        empty = torch.empty(0, dtype=value.dtype, device=self._device)
        return empty.set_(self._storages[key], value.storage_offset(), value.size(), value.stride())


def span(tensor: torch.Tensor) -> int:
    """Bytes from the first element to the end of the last."""
    if not tensor.numel():
        return 0
    steps = zip(tensor.size(), tensor.stride(), strict=True)
    last = sum((size - 1) * stride for size, stride in steps)
    return (last + 1) * tensor.element_size()


def read(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What the device holds, and for each element whether it is known."""
    bytes_ = span(tensor)
    values, mask = torch.zeros(bytes_, dtype=torch.uint8), torch.zeros(bytes_, dtype=torch.uint8)
    at = ctypes.c_void_p(tensor.data_ptr())
    CORE.maya_peek(ctypes.c_void_p(values.data_ptr()), at, ctypes.c_size_t(bytes_))
    CORE.maya_known_bytes(at, ctypes.c_size_t(bytes_), ctypes.c_void_p(mask.data_ptr()))
    width = tensor.element_size()
    known = mask.view(-1, width).all(1) if bytes_ else mask.bool()
    layout = tensor.size(), tensor.stride()
    found = values.view(tensor.dtype).as_strided(*layout)
    found = found.conj() if tensor.is_conj() else found
    return (-found if tensor.is_neg() else found), known.as_strided(*layout)


def same(expected: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
    """Element by element, within the tolerance for floats."""
    if expected.dtype.is_floating_point or expected.dtype.is_complex:
        return torch.isclose(expected, found, TOLERANCE, TOLERANCE, equal_nan=True)
    return expected == found


def same_number(expected: Any, found: Any) -> bool:
    """Whether two results that are no tensors agree."""
    if not isinstance(expected, float):
        return bool(expected == found)
    if math.isnan(expected):
        return math.isnan(found)
    return math.isclose(expected, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def compare(expected: Any, found: Any) -> str:
    """The outcome of one output."""
    if not isinstance(expected, torch.Tensor):
        return "equal" if same_number(expected, found) else "wrong"
    if found.device.type == "cpu":
        good = found.shape == expected.shape and bool(same(expected, found).all())
        return "equal" if good else "wrong"
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return "wrong"
    values, known = read(found)
    if bool((known & ~same(expected.resolve_conj(), values)).any()):
        return "wrong"
    return "equal" if bool(known.all()) else "unknown"


def outcome(op: Any, sample: Any, expected: Any) -> str:
    """Run one sample on the device."""
    place = Placed("cuda")
    try:
        inputs = tree_map(place, (sample.input, sample.args, sample.kwargs))
    except NotImplementedError:
        return "skipped"
    reads = CORE.maya_unknown_reads()
    try:
        results = op(inputs[0], *inputs[1], **inputs[2])
    except Exception as error:
        text = str(error)
        missing = any(
            part in text
            for part in ("not implemented for", "not supported", "on cpu", "Could not run")
        )
        guessed = CORE.maya_unknown_reads() != reads
        return "skipped" if missing else "unknown" if guessed else f"crash: {text[:200]}"
    outcomes = {
        compare(want, got)
        for want, got in zip(tree_flatten(expected)[0], tree_flatten(results)[0], strict=True)
    }
    if "wrong" in outcomes and CORE.maya_unknown_reads() != reads:
        return "unknown"  # the host was told that it does not know
    return next((worst for worst in ("wrong", "unknown") if worst in outcomes), "equal")


def elements(sample: Any) -> int:
    """Of all tensors of a sample."""
    leaves = tree_flatten((sample.input, sample.args, sample.kwargs))[0]
    return sum(leaf.numel() for leaf in leaves if isinstance(leaf, torch.Tensor))


def on_cpu(op: Any, sample: Any, seed: int) -> Any:
    """The expected result; inputs are copied since some operators write into them."""
    torch.manual_seed(seed)
    inputs = tree_map(Placed("cpu"), (sample.input, sample.args, sample.kwargs))
    return op(inputs[0], *inputs[1], **inputs[2])


def deterministic(op: Any, sample: Any, expected: Any) -> bool:
    """Whether another seed gives the same."""
    again = tree_flatten(on_cpu(op, sample, 1))[0]
    for want, got in zip(tree_flatten(expected)[0], again, strict=True):
        if isinstance(want, torch.Tensor):
            if want.layout != torch.strided or not bool(same(want, got).all()):
                return False
        elif not same_number(want, got):
            return False
    return True


def on_device(results: Any) -> bool:
    """Whether a sample asks for results on the device although its inputs are on the CPU."""
    leaves = tree_flatten(results)[0]
    return any(isinstance(leaf, torch.Tensor) and leaf.is_cuda for leaf in leaves)


def samples(op: Any, dtype: torch.dtype) -> Iterator[Any]:
    """Those small enough, always the same."""
    torch.manual_seed(0)
    for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
        if elements(sample) <= MOST_ELEMENTS and (
            elements(sample) or op.name not in NOT_OF_NOTHING
        ):
            yield sample


def measure(op: Any, dtype: torch.dtype, every: int, notes: list[str]) -> Counter[str]:
    """Outcomes of one operator and type."""
    counts: Counter[str] = Counter()
    for index, sample in enumerate(samples(op, dtype)):
        if index % every:
            continue
        try:
            expected = on_cpu(op, sample, 0)
            fixed = deterministic(op, sample, expected)
        except Exception:
            continue
        if not fixed or on_device(expected):
            continue
        result = outcome(op, sample, expected)
        if result not in ("equal", "unknown", "skipped"):
            notes.append(f"{op.formatted_name} {dtype} sample {index}: {result}")
        counts[result.split(":")[0]] += 1
    del counts["skipped"]
    return counts


def operators(names: list[str], every: int, start: int) -> Iterator[tuple[int, Any]]:
    """Those that have defined values, or those that are named."""
    for index, op in enumerate(load_operators()):
        wanted = op.name in names if names else index % every == 0
        undefined = "empty" in op.name or "sparse" in op.name or op.name in OTHERS
        if wanted and not undefined and index >= start:
            yield index, op


def measure_all(names: list[str], every: int, samples_every: int, start: int) -> None:
    """Print a line for each operator and type."""
    for index, op in operators(names, every, start):
        print(json.dumps({"begin": index, "operator": op.formatted_name}), flush=True)
        for name, dtype in DTYPES.items():
            if dtype not in op.supported_dtypes("cuda") & op.supported_dtypes("cpu"):
                continue
            notes: list[str] = []
            try:
                counts = measure(op, dtype, samples_every, notes)
            except Exception as error:  # of the sample's maker
                notes, counts = [f"{op.formatted_name}: no samples: {error}"], Counter()
            line = {"operator": op.formatted_name, "type": name, "counts": counts, "notes": notes}
            print(json.dumps(line), flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="one operator in so many")
    parser.add_argument("--samples-every", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first operator")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    measure_all(arguments.names, arguments.every, arguments.samples_every, arguments.start)


if __name__ == "__main__":
    main()
