"""Expressions compute, and reach nothing but the values they are given."""

import pytest

from maya.errors import MayaError
from maya.recipe_search.space.expressions import Expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tp * pp", 8),
        ("7 // 2 + 7 % 2", 4),
        ("2 ** 10 / 4", 256.0),
        ("-tp + 1", -1),
        ("tp == 2 and pp == 4", True),
        ("tp == 1 or pp == 4", True),
        ("1 < tp <= 2 < pp", True),
        ("not tp > 2", True),
        ("'a' if tp > 1 else 'b'", "a"),
        ("mode in ['full', 'none']", True),
        ("mode not in ('full',)", False),
        ("max(tp, pp) + min(tp, pp) + ceil(2.1) + floor(2.9) + int(log2(8))", 14),
    ],
)
def test_arithmetic_is_pythons(text: str, value: object) -> None:
    assert Expression(text).evaluate({"tp": 2, "pp": 4, "mode": "full"}) == value


def test_names_are_known_without_evaluating() -> None:
    assert Expression("max(tp, 2) * dp == gpus").names == {"tp", "dp", "gpus"}


def test_or_guards_what_stands_behind_it() -> None:
    assert Expression("pp == 0 or 8 % pp == 0").evaluate({"pp": 0}) is True


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "tp.__class__",
        "[x for x in range(3)]",
        "(lambda: 1)()",
        "open('/etc/passwd')",
        "f'{tp}'",
        "tp[0]",
        "max(tp, key=int)",
    ],
)
def test_anything_else_is_refused_before_it_runs(text: str) -> None:
    with pytest.raises(MayaError):
        Expression(text)


def test_a_huge_power_is_refused() -> None:
    with pytest.raises(MayaError, match="too large"):
        Expression("9 ** 9 ** 9").evaluate({})


def test_errors_name_the_expression_and_its_values() -> None:
    with pytest.raises(MayaError, match=r"`8 % pp` cannot be computed with pp = 0"):
        Expression("8 % pp").evaluate({"pp": 0})
    with pytest.raises(MayaError, match="is not an expression"):
        Expression("tp ==")
