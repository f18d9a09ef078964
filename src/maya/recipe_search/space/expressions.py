"""Expressions in search files: arithmetic and comparisons over named values, and nothing else."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from maya.errors import MayaError

Scalar = bool | int | float | str
_LARGEST_EXPONENT = 64

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda base, exponent: _power(base, exponent),  # noqa: PLW0108 (defined below)
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "int": int,
    "log2": math.log2,
    "max": max,
    "min": min,
}
_NODES = (
    ast.Expression,
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.Constant,
    ast.Name,
    ast.List,
    ast.Tuple,
    ast.Call,
    ast.And,
    ast.Or,
    ast.Load,
    *_BINARY,
    *_UNARY,
    *_COMPARE,
)


class Expression:
    """A parsed expression; it can name values and call a few functions, and reach nothing else."""

    def __init__(self, text: str | float | bool) -> None:
        self.text = str(text)
        try:
            self._tree = ast.parse(self.text.strip(), mode="eval")
        except SyntaxError as error:
            raise MayaError(
                f"`{self.text}` is not an expression: {error.msg}",
                hint="write Python arithmetic, as in `tp * pp * dp == gpus`",
            ) from error
        self.names = frozenset(_check(self._tree, self.text))

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value; a mistake in the arithmetic names the expression and its inputs."""
        try:
            return _value(self._tree.body, values)
        except (ArithmeticError, TypeError, ValueError) as error:
            given = ", ".join(f"{name} = {values[name]!r}" for name in sorted(self.names))
            raise MayaError(
                f"`{self.text}` cannot be computed with {given}: {error}",
                hint="guard it, as in `pp == 1 or layers % pp == 0`",
            ) from error


def _check(tree: ast.AST, text: str) -> set[str]:
    """Every node is one that we evaluate; the names of values."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = set()
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise MayaError(
                f"`{text}`: {type(node).__name__} is not allowed in an expression",
                hint=f"arithmetic, comparisons, and/or/not, and {', '.join(_FUNCTIONS)}",
            )
        if isinstance(node, ast.Call):
            _check_call(node, text)
        if isinstance(node, ast.Name) and id(node) not in called:
            names.add(node.id)
    return names


def _check_call(node: ast.Call, text: str) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS or node.keywords:
        raise MayaError(
            f"`{text}` calls an unknown function", hint=f"known functions: {', '.join(_FUNCTIONS)}"
        )


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:  # noqa: PLR0911 (one a case)
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return values[node.id]
        case ast.BoolOp():
            return _boolean(node, values)
        case ast.BinOp():
            return _BINARY[type(node.op)](_value(node.left, values), _value(node.right, values))
        case ast.UnaryOp():
            return _UNARY[type(node.op)](_value(node.operand, values))
        case ast.Compare():
            return _comparison(node, values)
        case ast.IfExp():
            return _value(node.body if _value(node.test, values) else node.orelse, values)
        case ast.List() | ast.Tuple():
            return [_value(item, values) for item in node.elts]
        case ast.Call(func=ast.Name(id=name)):
            return _FUNCTIONS[name](*(_value(argument, values) for argument in node.args))
    raise TypeError(f"cannot evaluate {type(node).__name__}")


def _boolean(node: ast.BoolOp, values: Mapping[str, Any]) -> Any:
    stop = isinstance(node.op, ast.Or)
    result: Any = not stop
    for item in node.values:
        result = _value(item, values)
        if bool(result) is stop:
            break
    return result


def _comparison(node: ast.Compare, values: Mapping[str, Any]) -> bool:
    left = _value(node.left, values)
    for sign, item in zip(node.ops, node.comparators, strict=True):
        right = _value(item, values)
        if not _COMPARE[type(sign)](left, right):
            return False
        left = right
    return True


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise ValueError(f"the exponent {exponent} is too large")
    return base**exponent
