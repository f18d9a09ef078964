"""Groups of ranks that were not launched, found by what their representatives' groups are."""

from collections import defaultdict
from dataclasses import dataclass, field

from maya.errors import MayaError
from maya.trace.roles import Roles

Group = tuple[int, ...]


@dataclass(slots=True)
class Counterparts:
    """Every rank declares every group, so the n-th group that holds a rank serves the same purpose
    as the n-th group that holds its representative."""

    roles: Roles
    groups: list[Group] = field(init=False)
    _numbers: dict[Group, int] = field(init=False)
    _own: dict[int, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.groups = list(self.roles.groups)
        self._numbers = {group: number for number, group in enumerate(self.groups)}
        self._own = defaultdict(list)
        for number, group in enumerate(self.groups):
            for rank in group:
                self._own[rank].append(number)

    def number(self, group: Group) -> int:
        """Of a group, also one that was never declared."""
        if group not in self._numbers:
            self._numbers[group] = len(self.groups)
            self.groups.append(group)
        return self._numbers[group]

    def of(self, group: Group, representative: int, rank: int) -> int:
        """The number of the group in which a rank does what its representative does in one."""
        number = self.number(group)
        if rank == representative or number in self._own[rank]:
            return number
        if number in self._own[representative]:
            return self._same_place(number, representative, rank)
        return self._part(group, representative, rank)

    def _same_place(self, number: int, representative: int, rank: int) -> int:
        place = self._own[representative].index(number)
        own = self._own[rank]
        if place >= len(own) or len(self.groups[own[place]]) != len(self.groups[number]):
            raise _unlike(representative, rank)
        return own[place]

    def _part(self, group: Group, representative: int, rank: int) -> int:
        """A pair, or another part of a group: the members at the same places."""
        if rank in group:
            return self.number(group)
        holders = [n for n in self._own[representative] if set(group) <= set(self.groups[n])]
        for number in sorted(holders, key=lambda n: len(self.groups[n])):
            places = [self.groups[number].index(member) for member in group]
            other = self.groups[self._same_place(number, representative, rank)]
            part = tuple(other[place] for place in places)
            if rank in part:
                return self.number(part)
        raise _unlike(representative, rank)


def _unlike(representative: int, rank: int) -> MayaError:
    return MayaError(
        f"the groups of rank {rank} are not known from those of rank {representative}",
        hint="launch every rank: --all-ranks",
    )
