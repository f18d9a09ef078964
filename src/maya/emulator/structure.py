"""What a pass showed of the job: its groups, and ranks that exchange messages."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from maya.emulator.plan import Plan
from maya.rundir import RunDirectory, names

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """Groups as declared; partners with the group in which the message went."""

    groups: tuple[Group, ...]
    partners: tuple[tuple[int, Group], ...]

    def without(self, ranks: Iterable[int]) -> "Structure":
        """The same but for messages to these ranks."""
        known = set(ranks)
        return replace(self, partners=tuple(p for p in self.partners if p[0] not in known))

    def refine(self, plan: Plan) -> Plan:
        """Give every rank the launched one that it shares a role with."""
        if len(plan.recorded) in (1, len(plan.representative)):
            return plan
        labels = label_ranks(plan.recorded, self.groups)
        made = [labels.get(rank, who) for rank, who in enumerate(plan.representative)]
        return replace(plan, representative=tuple(made))


def read_structure(run_dir: RunDirectory) -> Structure:
    """What the ranks left in the run directory."""
    lines = _lines(run_dir.partner_files())
    return Structure(
        tuple(dict.fromkeys(_lines([run_dir.file(names.GROUPS)]))),
        tuple((line[0], line[1:]) for line in lines if line),
    )


def label_ranks(launched: Iterable[int], groups: Iterable[Group]) -> dict[int, int]:
    """Members of a group share a role, unless groups of that shape join ranks that differ.

    Groups of one shape (distances between members) are declared for one purpose: if one of them
    holds two launched ranks, or two ranks found to be like different ones, none of them counts.
    """
    shapes: dict[Group, list[Group]] = defaultdict(list)
    for group in groups:
        shapes[tuple(rank - group[0] for rank in group)].append(group)
    roots = {rank: rank for rank in launched}
    while True:
        labels, mixed = _spread(dict(roots), shapes)
        if mixed is None:
            return labels
        del shapes[mixed]


def _spread(
    labels: dict[int, int], shapes: dict[Group, list[Group]]
) -> tuple[dict[int, int], Group | None]:
    """Labels carried along groups until nothing changes, or the shape of a group that mixes."""
    before = -1
    while before != len(labels):
        before = len(labels)
        for shape, groups in shapes.items():
            for group in groups:
                found = {labels[rank] for rank in group if rank in labels}
                if len(found) > 1:
                    return labels, shape
                for who in found:
                    labels.update((rank, who) for rank in group if rank not in labels)
    return labels, None


def _lines(paths: Iterable[Path]) -> list[Group]:
    texts = [path.read_text("ascii") for path in paths if path.exists()]
    return [tuple(map(int, line.split())) for text in texts for line in text.splitlines()]
