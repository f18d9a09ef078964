"""Steps that differ: a period in which some do more than the others."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which steps to measure: `count` of them, the last of which has `behind` more behind it."""

    behind: int
    count: int
    cycle: int = 0  # as many steps are a whole period; 0 where all are alike
    unlike: int = 0  # steps that did other work, and were not seen to come again


def choose_steps(kinds: Sequence[Hashable], wanted: int) -> Chosen:
    """Of steps in their order, by kind: a whole period, else the last alike.

    What comes before the steps that repeat is start-up.
    """
    usual = Counter(kinds).most_common(1)[0][0] if kinds else None
    trained = kinds[_start(kinds, usual) :]
    others = len(trained) - trained.count(usual)
    if cycle := _cycle(trained, usual):
        return Chosen(0, cycle, cycle)
    behind, count = _last_run(trained, usual, wanted)
    return Chosen(behind, count, unlike=others)


def _start(kinds: Sequence[Hashable], usual: Hashable) -> int:
    """Where two usual steps come in a row; else, the first of a kind that comes again."""
    pairs = enumerate(pairwise(kinds))
    counts = Counter(kinds)
    again = next((at for at, kind in enumerate(kinds) if counts[kind] > 1), 0)
    return next((at for at, pair in pairs if pair == (usual, usual)), again)


def _cycle(kinds: Sequence[Hashable], usual: Hashable) -> int:
    """The shortest period; what is unusual must have come twice in it. 0: none."""
    for cycle in range(2, len(kinds)):
        again = [at for at in range(cycle, len(kinds)) if kinds[at] != usual]
        if again and all(kinds[at] == kinds[at - cycle] for at in range(cycle, len(kinds))):
            return cycle
    return 0


def _last_run(kinds: Sequence[Hashable], usual: Hashable, wanted: int) -> tuple[int, int]:
    """The last `wanted` usual steps in a row, else the most that come so; what is behind them."""
    best, run = (0, 0), 0
    for at, kind in enumerate(kinds):
        run = run + 1 if kind == usual else 0
        if min(run, wanted) >= best[1]:
            best = (len(kinds) - 1 - at, min(run, wanted))
    return best
