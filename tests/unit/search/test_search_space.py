"""Feasible points, and what is said of spaces that are wrong or empty."""

import pytest
from search_files import search_file, space_of

from maya.errors import MayaError


def test_only_feasible_points_are_enumerated() -> None:
    space = space_of()
    assert space.combinations == 32
    for point in space.points:
        scope = space.scope(point)
        assert scope["tp"] * scope["dp"] == 16
        assert 64 % (scope["micro_batch"] * scope["dp"]) == 0
    # dp 16, 8, 4, 2 leaves micro-batches up to 4, 8, 8, 8.
    assert len(space.points) == 2 * (3 + 4 + 4 + 4)
    assert space.removed["global_batch % (micro_batch * dp) == 0"] == 2


def test_a_conditional_knob_counts_once_where_it_is_off() -> None:
    knobs = {
        "pp": {"choices": [1, 2], "add_flag": "--pp"},
        "chunks": {"choices": [2, 4], "when": "pp > 1", "otherwise": 1, "add_flag": "--chunks"},
    }
    points = space_of(knobs=knobs, command="python t.py", derived={}, constraints=[]).points
    assert [dict(p.knobs) for p in points] == [
        {"pp": 1, "chunks": 1},
        {"pp": 2, "chunks": 2},
        {"pp": 2, "chunks": 4},
    ]


def test_identity_is_the_recipes_own() -> None:
    one, other = space_of(), space_of()
    assert [p.identity for p in one.points] == [p.identity for p in other.points]
    assert len({p.identity for p in one.points}) == len(one.points)


def test_clusters_are_a_dimension() -> None:
    space = space_of(clusters=["h100:8x2", "a100:8x1"])
    assert {space.scope(p)["gpus"] for p in space.points} == {8, 16}
    assert {space.scope(p)["gpu"] for p in space.points} == {"h100", "a100-80"}


def test_an_unknown_name_in_a_constraint_is_told() -> None:
    with pytest.raises(MayaError, match=r"constraint `tp \* qq == 4` names 'qq'"):
        space_of(constraints=["tp * qq == 4"])


def test_when_may_only_look_back() -> None:
    knobs = {
        "a": {"choices": [1], "when": "b > 1", "otherwise": 0, "add_flag": "-a"},
        "b": {"choices": [1, 2], "add_flag": "-b"},
    }
    with pytest.raises(MayaError, match="names 'b', which is defined after it"):
        space_of(knobs=knobs, derived={}, constraints=[])


def test_the_constraint_that_empties_a_space_is_named() -> None:
    with pytest.raises(MayaError) as error:
        _ = space_of(constraints=["tp > 0", "tp > 100"]).points
    assert error.value.hint == "`tp > 100` alone excludes every combination"


def test_constraints_that_empty_it_together_are_told_apart() -> None:
    with pytest.raises(MayaError) as error:
        _ = space_of(constraints=["tp > 4", "tp < 4"]).points
    assert error.value.hint is not None
    assert error.value.hint.startswith("without `tp > 4` there would be ")


def test_a_space_too_large_to_walk_is_refused() -> None:
    knobs = {f"k{i}": {"range": [1, 200], "add_flag": f"--k{i}"} for i in range(3)}
    with pytest.raises(MayaError, match="8,000,000 combinations"):
        _ = space_of(knobs=knobs, derived={}, constraints=[]).points


@pytest.mark.parametrize(
    "knob",
    [
        {},
        {"choices": [1], "range": [1, 2]},
        {"choices": []},
        {"choices": [1, 1]},
        {"choices": [1], "when": "tp > 1"},
        {"choices": [1], "colour": "red"},
    ],
)
def test_knobs_that_make_no_sense_are_refused(knob: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="knobs"):
        search_file(knobs={"tp": knob})
