"""Which ranks are launched, and which of them stands for each of the others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from maya.errors import MayaError
from maya.rundir import RunDirectory, StageFacts, names


@dataclass(frozen=True, slots=True)
class Plan:
    """A representative for every rank; ranks that were recorded are their own."""

    representative: tuple[int, ...]
    reason: str
    stages: StageFacts | None = None  # of a pipeline, where not all are launched

    @property
    def recorded(self) -> tuple[int, ...]:
        """Ranks of which there is a recording, or one is made from others."""
        return tuple(rank for rank, who in enumerate(self.representative) if rank == who)

    @property
    def launched(self) -> tuple[int, ...]:
        """Ranks that become processes."""
        derived = self.stages.derived if self.stages else ()
        return tuple(rank for rank in self.recorded if rank not in derived)

    @property
    def weights(self) -> dict[int, int]:
        """How many ranks each launched one stands for."""
        return dict(sorted(Counter(self.representative).items()))

    @property
    def text(self) -> str:
        """What is printed before the run."""
        world = len(self.representative)
        return f"launching {len(self.launched):,} of {world:,} ranks: {self.reason}"


def plan_one(world_size: int) -> Plan:
    """Rank 0 stands for everybody."""
    return Plan((0,) * world_size, "all do the same")


def plan_all(world_size: int) -> Plan:
    """Nobody is virtual."""
    return Plan(tuple(range(world_size)), "every one")


def plan_chosen(world_size: int, ranks: tuple[int, ...], reason: str) -> Plan:
    """Ranks between two launched ones are like the one before them."""
    chosen = sorted(set(ranks))
    if not chosen or chosen[0] < 0 or chosen[-1] >= world_size:
        raise MayaError(
            f"--ranks names ranks that do not exist: the job has ranks 0 to {world_size - 1}",
            hint="for example --ranks 0,8,16",
        )
    current, representative = chosen[0], []
    for rank in range(world_size):
        current = rank if rank in chosen else current
        representative.append(current)
    return Plan(tuple(representative), reason)


def plan_from_partners(
    world_size: int, launched: tuple[int, ...], partners: Sequence[tuple[int, tuple[int, ...]]]
) -> Plan:
    """Launch those who exchange messages with launched ranks, with their whole group.

    In a group as large as the job the chain is not known; it is taken to go on in equal steps,
    and the next pass shows whether anybody is missing.
    """
    found = set(launched)
    for partner, members in partners:
        step = min(abs(partner - rank) for rank in launched)
        chain = range(min(launched), world_size, step)
        found |= {partner, *(members if len(members) < world_size else chain)}
    plan = plan_chosen(world_size, tuple(found), "one per pipeline stage")
    if len(plan.launched) == world_size:
        return plan_all(world_size)
    return plan


def plan_stages(plan: Plan, stages: StageFacts) -> Plan:
    """Launch the stages from which the others follow."""
    count = f"{len(stages.derived)} of {len(stages.chain)} pipeline stages follow from these"
    return plan_chosen(len(plan.representative), stages.needed, count)


def with_derived(plan: Plan, stages: StageFacts) -> Plan:
    """The same launched ranks; each of the other stages stands for its own."""
    whole = plan_chosen(len(plan.representative), stages.chain, plan.reason)
    return replace(whole, stages=stages)


def parse_ranks(text: str) -> tuple[int, ...]:
    """0,8,16-23 as numbers."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise MayaError(f"--ranks: {part!r} is no rank", hint="for example --ranks 0,8,16-23")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def write_representatives(run_dir: RunDirectory, plan: Plan) -> Path:
    """For the code inside the ranks."""
    path = run_dir.file(names.REPRESENTATIVES)
    path.write_text(" ".join(map(str, plan.representative)) + "\n", encoding="ascii")
    return path
