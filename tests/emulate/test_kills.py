"""A short round of `python -m benchmarks kills`; the long one is run by hand."""

import random
from concurrent.futures import ThreadPoolExecutor

from benchmarks.kills import CASES, Kill

KILLS = 10


def kill(seed: int) -> list[Kill]:
    return CASES["spin"](random.Random(seed))


def test_nothing_is_left_after_kills_at_random_moments() -> None:
    with ThreadPoolExecutor(5) as pool:  # they mostly wait
        kills = [kill for kills in pool.map(kill, range(KILLS)) for kill in kills]
    assert [kill for kill in kills if kill.faults] == []
    assert len({kill.victim for kill in kills}) > 1
