"""Operators of ATen that libraries carry out: their sizes, as library calls."""

from collections.abc import Iterable

from maya.calibration.spans import TracedOperator
from maya.estimate.works import Convolution, Product, batch_norm_work
from maya.trace import Definition

Sides = tuple[int, ...]
TYPES = {
    "float": "fp32", "double": "fp64", "c10::Half": "fp16", "c10::BFloat16": "bf16",
}  # fmt: skip
# Where the operands of a product stand among the inputs.
_PRODUCTS = {
    "aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::addmm_": 1, "aten::baddbmm": 1,
    "aten::_addmm_activation": 1,
}  # fmt: skip
_TF32_KERNELS = ("tf32", "s1688", "s16816gemm_f32")
# In names of kernels of cuBLAS and cuDNN; narrow types first, since sums are kept in fp32.
_TYPE_WORDS = (
    ("bf16", "bf16"), ("bfloat16", "bf16"), ("half", "fp16"), ("h884", "fp16"), ("fp16", "fp16"),
    ("float", "fp32"), ("sgemm", "fp32"), ("scudnn", "fp32"),
)  # fmt: skip
_FIRST_WITH_TF32 = 8  # compute capability


_CONVOLUTIONS = {
    "aten::cudnn_convolution": "fprop",
    "aten::cudnn_convolution_backward_input": "dgrad",  # size of x, dy, weight
    "aten::cudnn_convolution_backward_weight": "wgrad",  # size of the weight, dy, x
}
_BOTH_GRADIENTS = "aten::convolution_backward"  # dy, x, weight: two passes in one call
OUTER_GRADIENT = "aten::cudnn_convolution_backward"  # x, dy, weight


class LibraryOperators:
    """Remembers the results of convolutions, which traces tell of their gradients alone."""

    def __init__(self, operators: Iterable[TracedOperator], major: int) -> None:
        self._tf32 = major >= _FIRST_WITH_TF32
        self._results: dict[tuple[str, Sides, Sides], Sides] = {}
        for operator in operators:
            if tensors := _gradient_tensors(operator):
                x, weight, dy = tensors
                self._results["fprop", x, weight] = dy
                self._results["dgrad", dy, weight] = x
                self._results["wgrad", dy, x] = weight

    def works(self, operator: TracedOperator, kernels: Iterable[str]) -> list[Definition]:
        """The library calls behind an operator; none where its sizes are not known."""
        if not operator.dims:
            return []
        kernels = list(kernels)
        dtype = next((TYPES[name] for name in operator.types if name in TYPES), "")
        dtype = dtype or ("" if operator.types else _type_of_names(kernels))
        if not dtype:
            return []
        if operator.name in _PRODUCTS:
            return self._product(operator, dtype, kernels)
        if operator.name in _CONVOLUTIONS or operator.name == _BOTH_GRADIENTS:
            return self._convolution(operator, dtype)
        return _norm(operator, dtype)

    def _product(self, op: TracedOperator, dtype: str, kernels: Iterable[str]) -> list[Definition]:
        first = _PRODUCTS[op.name]
        operands = op.dims[first : first + 2]
        if len(operands) < 2 or len(operands[0]) != len(operands[1]) or not operands[0]:
            return []
        a, b = operands
        batch, m, k, n = (a[0] if len(a) == 3 else 1), a[-2], a[-1], b[-1]
        if len(a) not in (2, 3) or min(batch, m, n, k) <= 0 or b[-2] != k:
            return []
        tf32 = dtype == "fp32" and any(word in name for name in kernels for word in _TF32_KERNELS)
        turned = _lies_in_columns(op, first), _lies_in_columns(op, first + 1)
        pitches = _pitch(op, first), _pitch(op, first + 1)
        return [Product(m, n, k, batch, dtype, tf32, turned, pitches).work()]

    def _convolution(self, op: TracedOperator, dtype: str) -> list[Definition]:
        if op.name == _BOTH_GRADIENTS:
            tensors = _gradient_tensors(op)
            passes = ["dgrad", "wgrad"]
        else:
            tensors = self._tensors(op, _CONVOLUTIONS[op.name])
            passes = [_CONVOLUTIONS[op.name]]
        if tensors is None:
            return []
        x, weight, y = tensors
        stride = [max(1, round(inner / outer)) for inner, outer in zip(x[2:], y[2:], strict=True)]
        cores = dtype != "fp32" or self._tf32
        return [
            Convolution(
                direction, x[0], x[1], weight[0], x[2:], y[2:], weight[2:], stride,
                max(1, x[1] // weight[1]), dtype, cores,
            ).work()
            for direction in passes
        ]  # fmt: skip

    def _tensors(self, op: TracedOperator, direction: str) -> tuple[Sides, Sides, Sides] | None:
        """x, weight and y; what a call does not name was found in another."""
        if len(op.dims) < 3:
            return None
        first, second = op.dims[:2] if direction == "fprop" else op.dims[1:3]
        third = self._results.get((direction, first, second))
        x: Sides | None
        weight: Sides | None
        if direction == "fprop":
            x, weight, y = first, second, third or _result(op, first, second)
        elif direction == "dgrad":
            x, weight, y = third, second, first
        else:
            x, weight, y = second, third, first
        return (x, weight, y) if x and weight and y and _is_convolution(x, weight, y) else None


def _gradient_tensors(op: TracedOperator) -> tuple[Sides, Sides, Sides] | None:
    if op.name not in (_BOTH_GRADIENTS, OUTER_GRADIENT) or len(op.dims) < 3:
        return None
    first, second, weight = op.dims[:3]
    x, dy = (second, first) if op.name == _BOTH_GRADIENTS else (first, second)
    return (x, weight, dy) if _is_convolution(x, weight, dy) else None


def _is_convolution(x: Sides, weight: Sides, y: Sides) -> bool:
    same = len(x) == len(weight) == len(y) and len(x) in (3, 4, 5)
    return same and min(*x, *weight, *y) > 0 and y[1] == weight[0]


def _result(op: TracedOperator, x: Sides, weight: Sides) -> Sides | None:
    """From padding, stride and dilation, where the trace has the values of inputs."""
    lists = [_numbers(text) for text in op.values if text.startswith("[")]
    if len(lists) < 3 or len(x) != len(weight) or any(len(own) != len(x) - 2 for own in lists[:3]):
        return None
    padding, stride, dilation = lists[:3]
    sides = [
        (side + 2 * pad - wide * (filter_side - 1) - 1) // max(1, step) + 1
        for side, pad, step, wide, filter_side in zip(
            x[2:], padding, stride, dilation, weight[2:], strict=True
        )
    ]
    return (x[0], weight[0], *sides)


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.strip("[]").split(",")]
    return [int(part) for part in parts if part.isdigit()]


def _lies_in_columns(op: TracedOperator, index: int) -> bool:
    """Without strides, as a linear layer has it: the second operand is a transposed weight."""
    if index >= len(op.strides) or len(op.strides[index]) < 2:
        return "addmm" in op.name and index == 2
    strides = op.strides[index]
    return strides[-2] == 1 and strides[-1] != 1


def _type_of_names(kernels: Iterable[str]) -> str:
    """Where the trace has sizes and no types: what the library's kernels say of themselves."""
    names = " ".join(kernels)
    found = (kind for word, kind in _TYPE_WORDS if word in names)
    return next(found, "")


def _pitch(op: TracedOperator, index: int) -> int:
    """From row to row, or from column to column; 0 where the trace does not tell."""
    strides = op.strides[index] if index < len(op.strides) else ()
    return max(strides[-2:]) if len(strides) > 1 else 0


_NORMS: dict[str, bool] = {"aten::cudnn_batch_norm": False, "aten::cudnn_batch_norm_backward": True}


def _norm(op: TracedOperator, dtype: str) -> list[Definition]:
    x = op.dims[0] if op.dims else ()
    if op.name not in _NORMS or len(x) < 2 or min(x) <= 0:
        return []
    plane = 1
    for side in x[2:]:
        plane *= side
    return [batch_norm_work(x[0], x[1], plane, dtype, _NORMS[op.name])]
