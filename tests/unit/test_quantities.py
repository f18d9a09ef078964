"""Numbers as people read them."""

import pytest

from maya.report.quantities import step_price


@pytest.mark.parametrize(
    ("usd", "text"),
    [(3.95e-05, "$0.04 per 1,000 steps"), (5.2, "$5,200.00 per 1,000 steps")],
    ids=["one GPU", "thousands"],
)
def test_a_steps_price_is_told_without_exponents(usd: float, text: str) -> None:
    assert step_price(usd) == text
