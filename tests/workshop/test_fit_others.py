"""What a GPU without measurements would be given."""

import pytest

from workshop.fit.others import of_others, typical


def test_typical_parameters_are_geometric_means_of_what_is_known():
    assert typical([{"a": 1.0, "b": 3.0}, {"a": 4.0}]) == pytest.approx({"a": 2.0, "b": 3.0})


def test_a_gpu_left_out_has_no_part_in_its_parameters():
    table = {
        "x": {"a": 100.0, "harness_ns": 7.0},
        "y": {"a": 2.0, "harness_ns": 9.0},
        "z": {"a": 8.0},
    }
    assert of_others(table, ("x", "y", "z"), "x") == pytest.approx({"a": 4.0})
