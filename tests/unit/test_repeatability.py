"""What the table of repeatability calls kept and missed."""

import pytest

from benchmarks.repeatability import Sample, row_of


def samples(bound: str, idle_ms: list[float], loaded_ms: list[float]) -> list[Sample]:
    both = ((False, idle_ms), (True, loaded_ms))
    return [Sample("lstm", loaded, ms, bound, 1.0) for loaded, steps in both for ms in steps]


@pytest.mark.parametrize(
    ("bound", "idle_ms", "loaded_ms", "good"),
    [
        ("device", [10.0, 10.1], [10.1, 10.2], True),
        ("device", [10.0, 10.5], [10.0, 10.1], False),  # idle runs differ
        ("device", [10.0, 10.1], [10.0, 10.5], False),  # loaded runs differ
        ("host", [10.0, 10.5], [10.0, 10.5], True),  # a host may vary more
        ("host", [10.0, 10.1], [10.8, 10.9], False),  # load is taken for work
    ],
)
def test_a_row_is_good_where_runs_agree_whatever_the_load(bound, idle_ms, loaded_ms, good):
    assert row_of(samples(bound, idle_ms, loaded_ms), "lstm", runs=2).good is good


def test_only_as_many_runs_count_as_were_asked_for():
    row = row_of(samples("host", [10.0, 10.0, 99.0], [10.0, 10.0, 99.0]), "lstm", runs=2)
    assert (row.mean_ms, row.ratio) == (10.0, 1.0)
