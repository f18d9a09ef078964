"""The communicators of a stage that was not launched, from those of one that was."""

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from maya.errors import MayaError
from maya.simulator.matching import Communicator, communicators
from maya.trace import Capture, Definition
from maya.trace.blocks import Events
from maya.trace.format import Kind

Members = tuple[int, ...]
_OURS = 1 << 62  # ids of communicators that nobody made


class Registry:
    """Ids of communicators by members, and how many of the same members were made before."""

    def __init__(self, captures: Iterable[Capture]) -> None:
        self._ids: dict[tuple[Members, int], int] = {}
        for capture in captures:
            for members, number, found in _numbered(communicators(capture)):
                self._ids.setdefault((members, number), found.id)

    def id_of(self, members: Members, number: int) -> int:
        """As a launched rank knows it; else one that all who ask agree on."""
        if (members, number) not in self._ids:
            text = " ".join(map(str, (number, *members)))
            low, high = zlib.crc32(text.encode()), zlib.adler32(text.encode())
            self._ids[members, number] = _OURS | high << 29 | low
        return self._ids[members, number]


def _numbered(comms: Mapping[int, Communicator]) -> Iterable[tuple[Members, int, Communicator]]:
    seen: Counter[Members] = Counter()
    for _, found in sorted(comms.items()):
        yield found.members, seen[found.members], found
        seen[found.members] += 1


@dataclass(frozen=True, slots=True)
class Move:
    """From a rank to the one that does the same in another stage."""

    source: int
    target: int
    chain: Members  # a rank of every stage

    def members(self, members: Members) -> Members:
        """A group that joins the stages is the same for all; others have a counterpart."""
        if set(self.chain) <= set(members):
            return members
        return tuple(rank + self.target - self.source for rank in members)

    def definition(self, about: Definition, before: Members) -> Definition:
        """A collective as the other rank calls it, or the making of a communicator."""
        after = self.members(before)
        if self.target not in after:
            raise MayaError(f"rank {self.target} is in no group like {before[:8]}")
        fields = dict(about.fields) | {"rank": after.index(self.target)}
        if "peer" in fields:
            peer = before[about.number("peer")] + self.target - self.source
            fields["peer"] = after.index(peer)
        if about.kind == Kind.COMM:
            fields["members"] = ",".join(map(str, after))
        return replace(about, fields=fields)


def moved_definitions(capture: Capture, move: Move) -> dict[int, Definition]:
    """The definitions that are not the same for the other rank."""
    comms = communicators(capture)
    return {
        about.id: move.definition(about, comms[about.number("comm")].members)
        for about in capture.definitions()
        if about.kind in (Kind.COMM, Kind.COLLECTIVE) and comms[about.number("comm")].members
    }


def rename_communicators(events: Events, capture: Capture, move: Move, registry: Registry) -> None:
    """Give the communicators the ids by which others in them know them."""
    comms = communicators(capture)
    ids = {
        found.id: registry.id_of(move.members(members), number)
        for members, number, found in _numbered(comms)
        if members
    }
    makers = [about.id for about in capture.definitions() if about.kind == Kind.COMM]
    for index, number in enumerate(events["def"].tolist()):
        if number in makers:
            events["a"][index] = ids.get(int(events["a"][index]), int(events["a"][index]))
