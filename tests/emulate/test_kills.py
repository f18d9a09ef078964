"""A short round of `python -m benchmarks kills`; the long one is run by hand."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.kills import CASES, Kill, unclear

KILLS = 10


def kill(seed: int) -> list[Kill]:
    return CASES["spin"](random.Random(seed))


def test_nothing_is_left_after_kills_at_random_moments() -> None:
    with ThreadPoolExecutor(5) as pool:  # they mostly wait
        kills = [kill for kills in pool.map(kill, range(KILLS)) for kill in kills]
    assert [kill for kill in kills if kill.faults] == []
    assert len({kill.victim for kill in kills}) > 1


def test_only_a_traceback_that_ends_in_maya_is_one_of_maya(tmp_path: Path) -> None:
    ours, theirs = 'File "/x/src/maya/run.py", line 3, in made', 'File "/y/ddp.py", line 858'
    log = tmp_path / "said.txt"
    for last, first, faults in ((ours, theirs, 1), (theirs, ours, 0)):
        frames = "".join(f"[rank1]:   {frame}\n[rank1]:     call()\n" for frame in (first, last))
        log.write_text(f"[rank1]: Traceback:\n{frames}[rank1]: RuntimeError: lost\nmaya: ended\n")
        assert len(unclear(2, log, killed=False)) == faults
    log.write_text("")
    assert unclear(2, log, killed=False) == ["exit code 2 without a word"]
