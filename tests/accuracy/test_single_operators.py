"""Single operators of the fit split against published times. Limits may only shrink."""

import pytest

from workshop.measurements.store import measurements
from workshop.operators.check import Outcome, check
from workshop.operators.figures import by, figures, mode
from workshop.operators.sources import find_cases
from workshop.operators.store import recordings

# Median and 90th percentile of absolute errors.
BY_SOURCE = {
    ("kernelbench", "eager"): (0.052, 0.28),  # with convolutions
    ("kernelbench", "compiled"): (0.045, 0.345),
    ("liger", "eager"): (0.06, 0.15),
    ("cudnn_norms", "eager"): (0.03, 0.03),
    ("flagperf", "eager"): (0.02, 0.05),
}
BY_FAMILY = {  # medians of KernelBench, eager
    "convolution": 0.115,
    "convolution, fused": 0.07,
    "elementwise": 0.02,
    "loss": 0.04,
    "network": 0.06,
    "norm": 0.05,
    "pooling": 0.05,
    "product": 0.08,
    "product, fused": 0.05,
    "reduction": 0.02,
    "scan": 0.03,
    "softmax": 0.09,
}


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    found = find_cases(measurements())
    cases = [case for case in found if not case.kept and not case.outdated]
    return [outcome for outcome in check(cases, recordings()) if not outcome.launch_bound]


@pytest.mark.parametrize("key", BY_SOURCE, ids=" ".join)
def test_a_source_stays_as_close_as_it_was(outcomes, key):
    found = figures(by(outcomes, lambda outcome: (outcome.case.source, mode(outcome)))[key])
    median, p90 = BY_SOURCE[key]
    assert found.median <= median
    assert found.p90 <= p90


@pytest.mark.parametrize("family", BY_FAMILY)
def test_a_family_stays_as_close_as_it_was(outcomes, family):
    eager = [o for o in outcomes if o.case.source == "kernelbench" and mode(o) == "eager"]
    found = figures(by(eager, lambda outcome: (outcome.case.family,))[(family,)])
    assert found.median <= BY_FAMILY[family]


def test_next_to_nothing_of_an_operator_is_only_guessed(outcomes):
    most = max(outcomes, key=lambda outcome: outcome.assumed)
    assert most.assumed < 0.02, most.case
