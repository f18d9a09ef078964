"""Gives the results of rare operators their values, computed on the CPU.

Each operator is replaced at a key that every call passes below autograd. The real one runs all the
same, so that its kernels are recorded; then what the CPU computed from copies of known inputs is
put in the place of its unknown results.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator
from typing import Any

from maya_inside import conditions, loss_scaling, opcodes, operator_names
from maya_inside.device_values import MOST_ELEMENTS, DeviceValues

_KEY = "BackendSelect"
# Longer lists (norms of all gradients, concatenated) come in every step and are left to the core.
_MOST_TENSORS = 32
_MOST_RESULTS = 8  # of one operator, kept for further calls
_busy = threading.local()
_libraries: list[Any] = []  # a registration ends with its object


def activate(cuda: Any) -> None:
    """Called when torch.cuda has just been imported: begin when the device is first used."""
    cuda._lazy_call(_begin)


def _begin() -> None:
    import torch

    core = ctypes.CDLL(None)
    if not hasattr(core, "maya_known_bytes") or _libraries:
        return
    values = DeviceValues(torch, core)
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)
    core.maya_set_opcodes(opcodes.instructions())
    after = torch._C._dispatch_keyset_full_after(getattr(torch._C.DispatchKey, _KEY))
    for operator in _overloads(torch):
        replacement = _Replacement(torch, operator, values, after)
        library.impl(operator, replacement.call, _KEY, with_keyset=True)
    for module in (conditions, loss_scaling):
        for operator, call in module.replacements(torch, values, after):
            library.impl(operator, call, _KEY, with_keyset=True)


def _overloads(torch: Any) -> "Iterator[Any]":
    known = set(torch._C._dispatch_get_all_op_names())
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    for name in operator_names.NAMES:
        for variant in (name, f"{name}_"):
            packet = getattr(torch.ops.aten, variant, None)
            for overload in packet.overloads() if packet is not None else ():
                operator = getattr(packet, overload)
                full_name = operator.name()
                if full_name not in known or has_kernel(full_name, "CompositeImplicitAutograd"):
                    continue
                if not has_kernel(full_name, _KEY):
                    yield operator


class _Replacement:
    """One operator."""

    def __init__(self, torch: Any, operator: Any, values: DeviceValues, after: Any) -> None:
        self._torch, self._operator, self._values, self._after = torch, operator, values, after
        self._redispatch: Callable[..., Any] = operator.redispatch
        self._kinds = (torch.Tensor, torch.nn.Parameter)
        name = operator._schema.name.split("::")[1]
        self._random = name in operator_names.RANDOM
        self._results: dict[Any, Any] = {}
        self._is_positive = name in operator_names.POSITIVE
        self._dimension = next(
            (
                at
                for at, argument in enumerate(operator._schema.arguments)
                if argument.name == "dim"
            ),
            None,
        )
        if name in operator_names.SIZES:
            self._redispatch = self._with_count
        arguments = operator._schema.arguments
        leader = str(arguments[0].type) if arguments else ""
        self._leads, self._leads_list = leader == "Tensor", leader == "List[Tensor]"
        self._filled = {argument.name for argument in arguments if argument.is_out}
        takes_tensors = any(
            "Tensor" in str(argument.type) for argument in arguments if not argument.is_out
        )
        self._makes = name in operator_names.MADE and not (self._random or takes_tensors)
        self._written = {
            name
            for index, argument in enumerate(arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
            for name in (index, argument.name)
        }

    def call(self, keyset: Any, *arguments: Any, **options: Any) -> Any:
        """What the dispatcher calls."""
        if self._is_large(arguments):
            result = self._redispatch(keyset & self._after, *arguments, **options)
        else:
            result = self._call(keyset & self._after, arguments, options)
        if self._is_positive:
            self._values.assume_loss(result if hasattr(result, "is_cuda") else result[0])
        return result

    def _is_large(self, arguments: Any) -> bool:
        """By the first tensor alone, which is all that most calls of a training step need."""
        if self._leads:
            first = arguments[0]
        elif self._leads_list and arguments[0]:
            first = arguments[0][0]
        else:
            return False
        return type(first) not in self._kinds or first.numel() > MOST_ELEMENTS

    def _call(self, rest: Any, arguments: Any, options: Any) -> Any:
        if getattr(_busy, "on", False) or not self._small(arguments, options):
            return self._redispatch(rest, *arguments, **options)
        _busy.on = True
        try:
            return self._evaluate(rest, arguments, options)
        finally:
            _busy.on = False

    def _with_count(self, rest: Any, *arguments: Any, **options: Any) -> Any:
        self._values.expect_count(_half(arguments, options, self._dimension))
        try:
            return self._operator.redispatch(rest, *arguments, **options)
        finally:
            self._values.expect_count(0)

    def _small(self, arguments: Any, options: Any) -> bool:
        total, devices = 0, 0
        for count, tensor in enumerate(_tensors(arguments, options)):
            if count == _MOST_TENSORS:
                return False
            if type(tensor) not in self._kinds or tensor.layout is not self._torch.strided:
                return False
            total += tensor.numel()
            devices += tensor.is_cuda
            if total > MOST_ELEMENTS:
                return False
        return devices > 0

    def _evaluate(self, rest: Any, arguments: Any, options: Any) -> Any:
        key = self._key(arguments, options) if self._makes else None
        if key in self._results:
            result = self._redispatch(rest, *arguments, **options)
            if self._torch.cuda.is_current_stream_capturing():
                return result
            return self._given(result, self._results[key])
        copies: dict[int, Any] = {}
        places = [*enumerate(arguments), *options.items()]
        inputs = {
            key: self._fresh(value) if key in self._filled else self._copy(value, copies)
            for key, value in places
        }
        result = self._redispatch(rest, *arguments, **options)
        if self._torch.cuda.is_current_stream_capturing():
            return result
        try:
            self._restore(places, copies)
            if any(copy is None for copy in copies.values()):
                return result
            expected = self._on_cpu(inputs, len(arguments))
            if key is not None and expected.numel() <= MOST_ELEMENTS:
                self._remember(key, expected)
            for key, value in places:
                if key in self._written:
                    self._give(value, inputs[key])
            return self._given(result, expected)
        except Exception:  # the CPU does not have it for this type: the results stay unknown
            return result

    def _key(self, arguments: Any, options: Any) -> Any:
        """What decides on the result of an operator without tensors but the one that it fills."""
        places = [*enumerate(arguments), *options.items()]
        return tuple(
            (key, type(value), value.dtype if key in self._filled else value)
            for key, value in places
        )

    def _remember(self, key: Any, expected: Any) -> None:
        """Positions are the same in every step."""
        if len(self._results) >= _MOST_RESULTS:
            self._results.clear()
        self._results[key] = expected

    def _fresh(self, out: Any) -> Any:
        """What is only written has no values yet; the operator gives it its size."""
        if isinstance(out, list | tuple):
            return type(out)(self._fresh(part) for part in out)
        return self._torch.empty(0, dtype=out.dtype)

    def _copy(self, value: Any, copies: "dict[int, Any]") -> Any:
        if isinstance(value, self._torch.Tensor):
            if id(value) not in copies:
                copies[id(value)] = self._values.read(value) if value.is_cuda else value.clone()
            return copies[id(value)]
        if isinstance(value, list | tuple):
            return type(value)(self._copy(part, copies) for part in value)
        if isinstance(value, self._torch.device):
            return self._torch.device("cpu")
        if isinstance(value, self._torch.Generator):
            return None
        return value

    def _restore(self, places: Any, copies: "dict[int, Any]") -> None:
        """A kernel that is not understood may lose its inputs; the operator does not write them."""
        for key, value in places:
            if key in self._written:
                continue
            for tensor in _tensors((value,), {}):
                if tensor.is_cuda and copies[id(tensor)] is not None:
                    self._values.write(tensor, copies[id(tensor)])

    def _on_cpu(self, inputs: "dict[Any, Any]", positional: int) -> Any:
        arguments = [inputs[index] for index in range(positional)]
        options = {key: value for key, value in inputs.items() if isinstance(key, str)}
        if not self._random:
            return self._operator(*arguments, **options)
        with self._torch.random.fork_rng(devices=[]):
            self._torch.manual_seed(self._torch.cuda.initial_seed())
            return self._operator(*arguments, **options)

    def _give(self, target: Any, values: Any) -> None:
        if isinstance(target, list | tuple):
            for part, value in zip(target, values, strict=True):
                self._give(part, value)
        elif self._same_on_device(target, values):
            self._values.write(target, values)

    def _same_on_device(self, target: Any, values: Any) -> bool:
        if not isinstance(target, self._torch.Tensor) or not target.is_cuda:
            return False
        return bool(target.shape == values.shape and target.dtype == values.dtype)

    def _given(self, result: Any, expected: Any) -> Any:
        """The results with their values; another tensor where the values decide on the shape."""
        if isinstance(result, list | tuple):
            pairs = zip(result, expected, strict=True)
            return type(result)(self._given(part, value) for part, value in pairs)
        if not isinstance(result, self._torch.Tensor) or not result.is_cuda:
            return expected if isinstance(result, bool | int | float) else result
        if result.shape != expected.shape and not self._written:
            result = self._torch.empty(expected.shape, dtype=result.dtype, device=result.device)
        self._give(result, expected)
        return result


def _half(arguments: Any, options: Any, dimension: int | None) -> int:
    """Of the elements, or of the slices along a dimension that is named; at least one."""
    tensor, along = arguments[0], options.get("dim")
    if along is None and dimension is not None and dimension < len(arguments):
        along = arguments[dimension]
    count = tensor.numel() if along is None else tensor.size(along)
    return max(1, count // 2) if count else 0


def _tensors(arguments: Any, options: Any) -> "Iterator[Any]":
    for value in (*arguments, *options.values()):
        if hasattr(value, "is_cuda"):
            yield value
        elif isinstance(value, list | tuple):
            for part in value:
                if hasattr(part, "is_cuda"):
                    yield part
