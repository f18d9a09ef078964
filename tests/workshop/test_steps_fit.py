"""The fit of sustained load, on steps that were made up from known constants."""

from dataclasses import replace

import pytest

from maya.estimate.sustained import harmonic
from workshop.measurements.store import measurements
from workshop.steps.curves import SMS, StepCurve
from workshop.steps.fit import _best, _residual, _tells, _weight
from workshop.steps.scales import Scales, published_scales
from workshop.validate.case import Case

ENERGIES = (0.9, 1.1, 1.3, 1.5, 1.8, 2.2)
ENERGY, SPREAD, SLOPE = 1.5, 0.02, 0.8


def made_up(source: str, ranks: int, **changes: float) -> StepCurve:
    """A step that takes what an energy and a spread make of it."""
    steps = tuple(100 * energy for energy in ENERGIES)
    measured = 100 * ENERGY * (1 + SLOPE * SPREAD * (harmonic(ranks) - 1))
    case = Case(source, f"{ranks}", "script.py", (), f"h100:{ranks}", measured, series="one")
    values = {"waits": 0.0, "host_doubt": 0.0} | changes
    return StepCurve(case, "9.0", ranks, ENERGIES, steps, SLOPE, (1.0,) * len(SMS), **values)


def test_known_constants_are_found_again() -> None:
    curves = [made_up("mosaic", ranks) for ranks in (8, 64, 512)]
    known = _best(curves, [], "9.0")
    assert known.spread == pytest.approx(SPREAD, abs=0.003)
    assert known.tensor_pj == pytest.approx(ENERGY, rel=0.03)


def test_steps_that_the_host_or_the_network_decides_about_tell_nothing() -> None:
    assert _tells(made_up("mosaic", 8))
    assert not _tells(made_up("mosaic", 8, waits=0.5))
    assert not _tells(made_up("mosaic", 8, host_doubt=0.5))


def test_the_residual_is_that_of_fits_which_did_not_see_the_source() -> None:
    curves = [
        made_up(source, ranks) for source in ("mosaic", "torchtitan") for ranks in (8, 64, 512)
    ]
    fits = {source: {"9.0": _best(curves, [], "9.0")} for source in ("mosaic", "torchtitan")}
    assert _residual(curves, fits, "9.0") < 0.02


def test_a_source_with_a_single_case_counts_for_little() -> None:
    many = [made_up("mosaic", ranks) for ranks in (8, 64, 512)]
    other = made_up("torchtitan", 8)
    slower = replace(other, case=replace(other.case, measured_ms=2 * other.case.measured_ms))
    assert _best([*many, slower], [], "9.0").tensor_pj == pytest.approx(ENERGY, rel=0.03)
    assert _weight(1) < _weight(2) < _weight(3) == _weight(40)


def test_times_published_at_two_scales_count_as_one_more_source() -> None:
    curves = [made_up("mosaic", ranks) for ranks in (8, 64, 512)]
    none = Scales("recipe", "9.0", 32, 2048, 0.0)
    assert _best(curves, [none], "9.0").spread == pytest.approx(SPREAD / 2, abs=0.003)
    same = replace(none, growth=SLOPE * SPREAD * (harmonic(2048) - harmonic(32)))
    assert _best(curves, [same], "9.0").spread == pytest.approx(SPREAD, abs=0.003)


def test_recipes_are_compared_where_each_gpu_does_the_same() -> None:
    found = published_scales(measurements())
    assert len(found) > 10
    assert {one.generation for one in found} == {"9.0", "10.0"}
    assert all(one.fewest < one.most and -0.02 < one.growth < 0.1 for one in found)
