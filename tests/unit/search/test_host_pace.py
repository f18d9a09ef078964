"""What the machine did to one trial is told from what its recipe does, by places they share."""

from collections.abc import Mapping

import pytest

from maya.recipe_search.choice.history import Done
from maya.recipe_search.choice.pace import paced
from maya.recipe_search.space.space import Point
from maya.recipe_search.trials.host_told import HostTold, StepAt
from maya.recipe_search.trials.jobs import TrialOutcome
from maya.simulator.place_costs import PlaceCost

USUAL: Mapping[int, float] = {place: 1_000.0 + 50 * place for place in range(1, 9)}
FACTORS = (0.6, 0.8, 1.0, 1.25)


def trial(number: int, slower: float = 1.0, extra: Mapping[int, float] | None = None) -> Done:
    """A host-bound trial on a machine that was so much slower; `extra` places are the recipe's."""
    places = {**USUAL, **(extra or {})}
    costs = tuple(PlaceCost(p, ns * slower, 10 * ns * slower) for p, ns in places.items())
    step_ms = sum(cost.total_ns for cost in costs) / 1e6
    host = HostTold(costs, tuple(StepAt(factor, factor * step_ms) for factor in FACTORS))
    found = {"step_ms": step_ms, "low_ms": step_ms / 2, "high_ms": 2 * step_ms}
    found |= {"host_ms": step_ms, "usd_per_step": step_ms}
    rates = {"mfu": 1 / step_ms, "hfu": None, "idle_ms": step_ms}
    return Done(
        number,
        Point("h100:1", {}, (number,)),
        TrialOutcome("ok", "emulated", found | rates, host=host),
    )


def steps(*trials: Done, alike: Mapping[int, object] | None = None) -> list[float]:
    given = alike or dict.fromkeys(range(len(trials)))
    return [done.outcome.metrics["step_ms"] or 0.0 for done in paced(trials, given)]


def test_a_crowded_moment_is_not_the_recipes() -> None:
    found = steps(trial(0), trial(1, 1.4), trial(2), trial(3, 1.1), trial(4))
    assert found == pytest.approx([found[0]] * 5)


def test_a_place_that_one_recipe_makes_dearer_stays_as_dear() -> None:
    loads = trial(3, extra={8: 20 * USUAL[8]})
    quick, *_, slow = steps(trial(0), trial(1), trial(2), loads)
    assert slow == pytest.approx(quick + 10 * 19 * USUAL[8] / 1e6)


def test_a_recipe_of_its_own_is_not_compared() -> None:
    other = trial(3, 1.4, extra=dict.fromkeys(range(20, 40), 5000.0))
    assert steps(trial(0), trial(1), trial(2), other)[3] == other.outcome.metrics["step_ms"]


def test_two_trials_are_too_few_and_other_surroundings_are_not_alike() -> None:
    slow = trial(2, 1.4)
    assert steps(trial(0), trial(1))[0] == trial(0).outcome.metrics["step_ms"]
    alike = {0: "a", 1: "a", 2: "b"}
    assert steps(trial(0), trial(1), slow, alike=alike)[2] == slow.outcome.metrics["step_ms"]


def test_figures_that_follow_the_step_are_told_with_it() -> None:
    *_, slow = paced([trial(0), trial(1), trial(2), trial(3, 1.4)], dict.fromkeys(range(4)))
    told, usual = slow.outcome.metrics, trial(0).outcome.metrics
    assert told.pop("host_factor") == pytest.approx(1 / 1.4)
    assert told == {name: value and pytest.approx(value) for name, value in usual.items()}


def test_no_host_is_taken_for_faster_than_was_simulated() -> None:
    *_, slow = steps(trial(0), trial(1), trial(2), trial(3, 3.0))
    assert slow == pytest.approx(0.6 * 3 * steps(trial(0))[0])
