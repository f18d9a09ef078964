"""A few published steps, from the script to the error; the validation runs them all."""

import pytest

from workshop.measurements.store import measurements
from workshop.validate.case import Case
from workshop.validate.check import check_one
from workshop.validate.emulation import Emulator
from workshop.validate.sources import find_cases

# Bands may only shrink.
BANDS = {
    ("timm-nhwc", "tf_efficientnet_b3_ns x128"): 0.15,
    ("neusight", "bert_large inf 8x512"): 0.10,
    ("mosaic", "MPT 350m 16x4x2048"): 0.08,
}


def _case(source: str, name: str) -> Case:
    return next(case for case in find_cases(measurements(), [source], None) if case.name == name)


@pytest.mark.parametrize(("source", "name"), BANDS)
def test_a_published_step_is_predicted_within_its_band(tmp_path, source, name):
    outcome = check_one(_case(source, name), Emulator(reuse=False, root=tmp_path))
    assert not outcome.failure
    assert abs(outcome.error) < BANDS[source, name], f"{outcome.error:+.1%}"
    assert outcome.inside


def test_every_source_gives_cases_of_both_sets():
    for source in ("timm-nchw", "timm-nhwc", "neusight", "convnets", "mosaic", "vtrain"):
        cases = find_cases(measurements(), [source], None)
        assert {case.seen for case in cases} == {True, False}
        assert len({(case.name, case.cluster) for case in cases}) == len(cases)
