"""Groups of recipes: the figures of a group, and where its recipes come from."""

import numpy as np
import pytest

from workshop.measurements.store import measurements
from workshop.validate.case import Case
from workshop.validate.recipes import Recipe, Tried, figures_of, find_recipes, rank_correlation


def tried(
    measured_ms: float, predicted_ms: float, *, fits: bool = True, failure: str = ""
) -> Tried:
    """Measured: 0 where it crashed."""
    case = Case("ultrascale", "one", "script.py", (), "h100:8", measured_ms)
    recipe = Recipe("1B on 8", case, measured_ms > 0, 50.0 if measured_ms else 0.0)
    return Tried(recipe, predicted_ms, 45.0 if predicted_ms else 0.0, fits, failure)


def test_regret_is_what_the_recipe_chosen_takes_over_the_best() -> None:
    (figures,) = figures_of([tried(100, 95), tried(110, 90), tried(200, 210)])
    assert figures.regret == pytest.approx(0.1)
    assert figures.rank_correlation == pytest.approx(0.5)
    assert figures.median_error == pytest.approx(0.05)
    assert figures.memory_error == pytest.approx(0.1)


def test_what_fits_is_counted_by_what_ran_and_failures_apart() -> None:
    (figures,) = figures_of(
        [
            tried(100, 95),
            tried(0, 80),
            tried(0, 0, fits=False),
            tried(0, 0, fits=False),
            tried(90, 0, fits=False),
            tried(120, 0, failure="no step"),
        ]
    )
    assert (figures.predicted, figures.failed) == (1, 1)
    assert (figures.fits_and_ran, figures.fits_but_crashed) == (1, 1)
    assert (figures.misfit_but_ran, figures.misfit_and_crashed) == (1, 2)


@pytest.mark.parametrize(
    ("second", "expected"), [((1, 2, 3), 1.0), ((3, 2, 1), -1.0), ((10, 20, 3000), 1.0)]
)
def test_rank_correlation_is_of_the_order(second: tuple[int, ...], expected: float) -> None:
    assert rank_correlation(np.array([5.0, 6.0, 7.0]), np.array(second)) == pytest.approx(expected)


def test_recipes_of_the_table_come_once_and_with_their_outcome() -> None:
    recipes = find_recipes(measurements(), "1B on 8", 8, 64)
    assert len({recipe.case.arguments for recipe in recipes}) == len(recipes) > 30
    assert {recipe.ran for recipe in recipes} == {True, False}
    assert all(recipe.case.measured_ms > 0 for recipe in recipes if recipe.ran)


def test_a_step_is_that_of_the_batch_that_a_recipe_has() -> None:
    recipes = find_recipes(measurements(), "1B on 8", 8, 64)
    by_name = {recipe.case.name: recipe.case.measured_ms for recipe in recipes}
    assert by_name["Llama 1B 2x16x4096 tp1 dp8 pp1 zero0"] == pytest.approx(3264.6, rel=1e-4)
    # The table gives 6,054 ms, for 256 samples; this one has 16.
    assert by_name["Llama 1B 2x4x4096 tp1 dp2 pp4 zero1"] == pytest.approx(378.4, rel=1e-3)
