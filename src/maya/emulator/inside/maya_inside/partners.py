"""Leaves in the run directory what the launcher learns from: groups, and who sends to whom."""

import os
from collections.abc import Sequence

from maya_inside import ranks, run_files

_noted: "set[int]" = set()


def _append(name: str, numbers: Sequence[int]) -> None:
    directory = os.environ.get("MAYA_RUN_DIR")
    if directory:
        with open(os.path.join(directory, name), "a", encoding="ascii") as file:
            file.write(" ".join(map(str, numbers)) + "\n")


def note(pair: Sequence[int], members: Sequence[int]) -> None:
    """Two members of a group exchange a message; matters when one of them is no process."""
    for rank in pair:
        if not ranks.is_launched(rank) and rank not in _noted:
            _noted.add(rank)
            _append(run_files.PARTNERS.format(rank=ranks.RANK), [rank, *members])


def note_group(members: Sequence[int]) -> None:
    """Every rank declares every group, so one of them is enough."""
    if ranks.LAUNCHED[0] == ranks.RANK:
        _append(run_files.GROUPS, members)
