"""What the emulator asks of recordings to know which pipeline stages it need not launch."""

import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np

from maya.rundir import RankFacts, RunDirectory, StageFacts, names
from maya.simulator.matching import communicators
from maya.simulator.stages.derive import Stages, UnequalStagesError
from maya.simulator.stages.words import Alphabet
from maya.trace import Capture, CaptureError, read_capture

_LEAST_PAUSE_S = 0.5  # between two looks at a run
_SHARE = 0.05  # of the time that looking may take


class StageReader:
    """Reads captures of runs, also of those that still go on; then only now and then."""

    def __init__(self) -> None:
        self._next_s = 0.0

    def have_begun(self, directory: Path, chain: tuple[int, ...]) -> bool:
        """Whether every stage between the ends has passed a micro-batch forward and backward.

        The second is the last to: gradients come from the other end.
        """
        started = time.monotonic()
        if started < self._next_s:
            return False
        capture = _captures(directory, chain[1:2]).get(chain[1])
        begun = capture is not None and _first_backward(capture, chain[0]) is not None
        now = time.monotonic()
        self._next_s = now + max(_LEAST_PAUSE_S, (now - started) / _SHARE)
        return begun

    def alike(self, directory: Path, chain: tuple[int, ...]) -> tuple[int, ...]:
        """The ranks whose first micro-batch did what that of most did."""
        captures, alphabet = _captures(directory, chain), Alphabet()
        done = {
            rank: _begun(alphabet, captures[rank], before)
            for before, rank in pairwise(chain[:-1])
            if rank in captures
        }
        ((most, _),) = Counter(done.values()).most_common(1) or ((None, 0),)
        return tuple(rank for rank, did in done.items() if did and did == most)

    def confirmed(self, directory: Path, stages: StageFacts) -> bool:
        """Whether the launched stages follow from each other, as those in between are to."""
        try:
            Stages(tuple(_captures(directory, stages.chain).values()), stages).confirm()
        except UnequalStagesError:
            return False
        return True


def derived_captures(captures: tuple[Capture, ...], ranks: RankFacts | None) -> list[Capture]:
    """Of stages that were not launched; none where every stage was."""
    stages = ranks.stages if ranks else None
    return Stages(captures, stages).derived() if stages else []


def _captures(directory: Path, ranks: tuple[int, ...]) -> dict[int, Capture]:
    found: dict[int, Capture] = {}
    for path in RunDirectory(directory).capture_files():
        rank, _ = names.rank_and_name(path.name)
        if rank not in ranks:
            continue
        try:
            found[rank] = read_capture(path)
        except CaptureError:  # it is just being made
            continue
    return found


def _first_backward(capture: Capture, before: int) -> int | None:
    """The event of the first message to the stage before this one."""
    comms = communicators(capture)
    back = [
        about.id
        for about in capture.definitions()
        if about.op == "ncclSend"
        and about.number("comm") in comms
        and before in comms[about.number("comm")].members[about.number("peer") :][:1]
    ]
    found = np.flatnonzero(np.isin(capture.events["def"], back))
    return int(found[0]) if len(found) else None


def _begun(alphabet: Alphabet, capture: Capture, before: int) -> frozenset[int]:
    """The letters up to there, messages apart; empty where it did not come so far."""
    end = _first_backward(capture, before)
    word = alphabet.spell(capture, 0, end or 0)
    return frozenset(word.letters[~word.is_message].tolist())
