"""What is called a disagreement between a search on an idle machine and one on a loaded machine."""

import pytest

from benchmarks.search_loaded import Found, found_in, judged

IDLE = Found((("fused", 1.0), ("fused", 1.1), ("single", 2.0), ("single", 2.1)), equal=2)


def test_searches_agree_where_both_choose_the_same_work_and_call_it_equal():
    loaded = Found((("fused", 1.3), ("fused", 1.4), ("single", 2.0), ("single", 2.1)), equal=2)
    assert judged(IDLE, loaded).good


@pytest.mark.parametrize(
    "loaded",
    [
        Found((("single", 1.0), ("fused", 1.1), ("fused", 1.2), ("single", 1.3)), equal=4),
        Found((("fused", 1.0), ("single", 1.5), ("fused", 2.0), ("single", 2.1)), equal=2),
    ],
)
def test_another_winner_and_equal_work_told_apart_are_disagreements(loaded):
    assert judged(IDLE, loaded).value == 1


def test_the_answer_of_a_search_is_read_in_its_order():
    rows = [
        {"knobs": {"optimizer": way, "batch": 64}, "metrics": {"step_ms": step_ms}}
        for way, step_ms in (("fused", 1.0), ("single", 2.0))
    ]
    assert found_in({"ranked": rows, "equal_to_best": 1}) == Found(
        (("fused", 1.0), ("single", 2.0)), 1
    )
