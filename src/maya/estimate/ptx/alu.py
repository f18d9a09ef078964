"""Integer arithmetic of PTX, on numbers and on arrays with one number a thread."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from maya.estimate.ptx.values import BOUND, NOTHING, TRUE, UNKNOWN, Value, unsigned, wrap

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "lo": operator.lt, "ls": operator.le,
    "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip
_BITWISE: dict[str, Callable[[Any, Any], Any]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
FLOATS = frozenset(("f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64", "tf32"))


def width(parts: tuple[str, ...]) -> tuple[int, bool]:
    """Bits of the operands' type, and whether it is unsigned."""
    for part in reversed(parts):
        if part[:1] in "subf" and part[1:] in ("8", "16", "32", "64"):
            return int(part[1:]), part[0] == "u"
    return 32, False


def compute(parts: tuple[str, ...], inputs: list[Value]) -> Value:
    """The result of an integer instruction; NOTHING where it is not one we know."""
    if FLOATS.intersection(parts):
        return TRUE if parts[0] == "setp" else NOTHING
    known = max((value.known for value in inputs), default=0)
    special = _SPECIAL.get(parts[0])
    if special:
        return special(parts, inputs, known)
    if parts[-1] == "pred":
        return _predicate(parts[0], inputs, known)
    return _arithmetic(parts, [value.number for value in inputs], known)


def _set_predicate(parts: tuple[str, ...], inputs: list[Value], known: int) -> Value:
    if known == UNKNOWN:
        mask = inputs[2] if len(inputs) > 2 else TRUE
        return Value(mask.number, UNKNOWN)
    bits, is_unsigned = width(parts)
    left, right = (
        unsigned(v.number, bits) if is_unsigned or parts[1] in ("lo", "ls", "hi", "hs")
        else v.number for v in inputs[:2]
    )  # fmt: skip
    compare = _COMPARE.get(parts[1])
    if compare is None:
        return TRUE
    result = compare(left, right)
    if len(inputs) > 2 and parts[2] in _BITWISE:
        result = _BITWISE[parts[2]](result, inputs[2].number)
    return Value(result, known)


def _predicate(op: str, inputs: list[Value], known: int) -> Value:
    numbers = [value.number for value in inputs]
    if op in _BITWISE:
        return Value(_BITWISE[op](_bool(numbers[0]), _bool(numbers[1])), known)
    if op == "not":
        if known == UNKNOWN:
            return TRUE
        return Value(np.logical_not(numbers[0]) if _many(numbers[0]) else not numbers[0], known)
    return Value(_bool(numbers[0]), known)


def _extreme(parts: tuple[str, ...], inputs: list[Value], known: int) -> Value:
    if parts[0] == "min" and known == UNKNOWN:
        sure = [value for value in inputs if value.known != UNKNOWN]
        return Value(sure[0].number, BOUND) if sure else NOTHING
    bits, is_unsigned = width(parts)
    left, right = (
        unsigned(v.number, bits) if is_unsigned else v.number for v in inputs[:2]
    )  # fmt: skip
    chosen = (np.minimum if parts[0] == "min" else np.maximum)(left, right)
    return Value(wrap(chosen, bits) if _many(chosen) else wrap(int(chosen), bits), known)


def _select(_: tuple[str, ...], inputs: list[Value], known: int) -> Value:
    first, second, condition = inputs[:3]
    if condition.known == UNKNOWN:
        return Value(first.number, UNKNOWN)
    if _many(condition.number):
        return Value(np.where(condition.number, first.number, second.number), known)
    chosen = first if condition.number else second
    return Value(chosen.number, max(chosen.known, condition.known))


def _many(number: Any) -> bool:
    return isinstance(number, np.ndarray)


def _bool(number: Any) -> Any:
    return number.astype(bool) if _many(number) else bool(number)


Rule = Callable[[tuple[str, ...], list[Any], int, bool], Any]


def _multiply(parts: tuple[str, ...], n: list[Any], bits: int, is_unsigned: bool) -> Any:
    left, right = (unsigned(x, bits) for x in n[:2]) if is_unsigned else n[:2]
    if "wide" in parts:
        return left * right
    if "hi" in parts:
        if bits == 64:
            return wrap((int(left) * int(right)) >> 64, 64)
        return wrap((left * right) >> bits, bits)
    return wrap(left * right, bits)


def _multiply_add(parts: tuple[str, ...], n: list[Any], bits: int, is_unsigned: bool) -> Any:
    return wrap(_multiply(parts, n, bits, is_unsigned) + n[2], 64 if "wide" in parts else bits)


def _divide(_: tuple[str, ...], n: list[Any], bits: int, is_unsigned: bool) -> Any:
    left, right = (unsigned(x, bits) for x in n[:2]) if is_unsigned else n[:2]
    if np.any(np.equal(right, 0)):
        raise ZeroDivisionError
    if _many(left) or _many(right):
        return np.sign(left) * np.sign(right) * (np.abs(left) // np.abs(right))
    sign = -1 if (left < 0) != (right < 0) else 1
    return sign * (abs(left) // abs(right))


def _remainder(parts: tuple[str, ...], n: list[Any], bits: int, is_unsigned: bool) -> Any:
    left, right = (unsigned(x, bits) for x in n[:2]) if is_unsigned else n[:2]
    return left - right * _divide(parts, n, bits, is_unsigned)


def _shift_left(_: tuple[str, ...], n: list[Any], bits: int, __: bool) -> Any:
    if not _many(n[1]) and n[1] >= bits:
        return 0
    return wrap(n[0] << n[1], bits)


def _shift_right(_: tuple[str, ...], n: list[Any], bits: int, is_unsigned: bool) -> Any:
    left = unsigned(n[0], bits) if is_unsigned else n[0]
    return wrap(left >> (min(int(n[1]), 63) if not _many(n[1]) else n[1]), bits)


def _bit_field(_: tuple[str, ...], n: list[Any], bits: int, is_unsigned: bool) -> Any:
    at, length = int(n[1]) & 255, int(n[2]) & 255
    field = (unsigned(n[0], bits) >> at) & ((1 << length) - 1)
    if is_unsigned or not length:
        return field
    half = 1 << (length - 1)
    return ((field + half) & ((1 << length) - 1)) - half


def _bit_insert(_: tuple[str, ...], n: list[Any], bits: int, __: bool) -> Any:
    at, length = int(n[2]) & 255, int(n[3]) & 255
    mask = ((1 << length) - 1) << at
    return wrap((n[1] & ~mask) | ((n[0] << at) & mask), bits)


def _convert(parts: tuple[str, ...], n: list[Any], _: int, __: bool) -> Any:
    """cvt.to.from: the last two pieces are the types."""
    target, source = parts[-2], parts[-1]
    if target[:1] not in "subf" or source[:1] not in "sub":
        raise ValueError
    from_bits, to_bits = int(source[1:]), int(target[1:])
    number = wrap(n[0], from_bits) if from_bits < 64 else n[0]
    if source[0] == "u":
        number = unsigned(number, from_bits)
    return wrap(number, to_bits) if to_bits < from_bits else number


# Results are cut to the type's bits.
_SIMPLE: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "not": operator.invert,
    "neg": operator.neg,
}
_PLAIN: dict[str, Callable[..., Any]] = {"abs": abs, **_BITWISE}
# A shuffle is taken for the broadcast of a warp's own number, which all its threads have alike.
_COPIES = ("mov", "cvta", "shfl")
_RULES: dict[str, Rule] = {
    "mul": _multiply,
    "mul24": _multiply,
    "mad": _multiply_add,
    "div": _divide,
    "rem": _remainder,
    "shl": _shift_left,
    "shr": _shift_right,
    "bfe": _bit_field,
    "bfi": _bit_insert,
    "cvt": _convert,
}


def _arithmetic(parts: tuple[str, ...], numbers: list[Any], known: int) -> Value:
    bits, is_unsigned = width(parts)
    op = parts[0]
    try:
        if op in _COPIES:
            return Value(numbers[0], known)
        if op in _SIMPLE:
            return Value(wrap(_SIMPLE[op](*numbers), bits), known)
        if op in _PLAIN:
            return Value(_PLAIN[op](*numbers), known)
        if op in _RULES:
            return Value(_RULES[op](parts, numbers, bits, is_unsigned), known)
    except (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError):
        pass  # not integers after all
    return NOTHING


_SPECIAL: dict[str, Callable[[tuple[str, ...], list[Value], int], Value]] = {
    "setp": _set_predicate,
    "min": _extreme,
    "max": _extreme,
    "selp": _select,
}
