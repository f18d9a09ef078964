"""Which of the recorded steps are measured, by what kind of work they did."""

import pytest

from maya.simulator.cycles import Chosen, choose_steps


@pytest.mark.parametrize(
    ("kinds", "chosen"),
    [
        ("ppppp", Chosen(0, 2)),
        ("xyppppp", Chosen(0, 2)),  # start-up
        ("p", Chosen(0, 1)),
        ("xppppqppppqpp", Chosen(0, 5, 5)),
        ("ppqppqppq", Chosen(0, 3, 3)),
        ("pppppppppqpppppppppq", Chosen(0, 10, 10)),
        ("qpppppppppqpppppp", Chosen(0, 3, unlike=1)),  # the first is start-up: not seen twice
        ("plplplplpqplplplplpqpl", Chosen(0, 10, 10)),  # logging every second, more every tenth
        ("pppppq", Chosen(1, 2, unlike=1)),
        ("pppppqp", Chosen(2, 2, unlike=1)),
        ("pppppqppp", Chosen(0, 2, unlike=1)),
        ("pppqpprppp", Chosen(0, 2, unlike=2)),
        ("abcabc", Chosen(0, 3, 3)),
        ("xbcabcabca", Chosen(0, 3, 3)),  # start-up, and no two alike in a row
        ("abababa", Chosen(0, 2, 2)),
    ],
)
def test_a_whole_period_or_the_last_steps_alike(kinds: str, chosen: Chosen) -> None:
    wanted = 3 if chosen.count == 3 and not chosen.cycle else 2
    assert choose_steps(kinds, wanted) == chosen


def test_a_period_that_is_cut_off_is_whole_wherever_it_begins() -> None:
    kinds = "pppq" * 5
    for end in range(10, 20):
        assert choose_steps(kinds[:end], 2) == Chosen(0, 4, 4)
