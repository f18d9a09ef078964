"""run.json: what was run, on what, and how it ended."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from maya.rundir import names
from maya.typed_numbers import Amount, Bytes, Count

FORMAT = 1
_MOST_RANKS = 1 << 20
Ending = Literal[
    "script", "steps", "max-seconds", "cpu-only", "signal", "strict", "failure", "enough"
]


@dataclass(frozen=True, slots=True)
class Versions:
    """Of what ran."""

    maya: str
    torch: str | None
    cuda_major: int | None
    kernel: str


@dataclass(frozen=True, slots=True)
class HostFacts:
    """The machine that emulated."""

    yardstick_ns: Count  # CPU time of a fixed piece of work; 0 where it was not measured
    load_per_cpu: Amount = 0.0  # threads that wanted each CPU


@dataclass(frozen=True, slots=True)
class HeldFiles:
    """What the program wrote and removed without touching the user's files."""

    files: Count  # made or changed
    bytes: Bytes  # of them, also of those that the program removed again
    removed: Count  # files of the user that the program removed or renamed
    kept: str | None = None  # where they are now; None: discarded
    disk_full: bool = False  # when the program had ended
    confined: bool = True  # the kernel, too, refused changes of the user's files
    removed_again: Count = 0  # of `files`: temporary ones, and checkpoints that the program pruned


@dataclass(frozen=True, slots=True)
class StageFacts:
    """A rank of every pipeline stage in order, and those that differ by the schedule alone."""

    chain: tuple[int, ...]
    alike: tuple[int, ...]  # between the ends

    def __post_init__(self) -> None:
        if len(self.chain) < 3 or not set(self.alike) <= set(self.chain[1:-1]):
            raise ValueError("alike: these are stages between the first and the last")

    @property
    def needed(self) -> tuple[int, ...]:
        """Ranks to launch: those unlike the others, two alike that are neighbours, and a witness at
        each end of what is alike."""
        kept = {*self.alike[:1], *self.neighbours, *self.alike[-1:]}
        return tuple(rank for rank in self.chain if rank not in self.alike or rank in kept)

    @property
    def derived(self) -> tuple[int, ...]:
        """Ranks that need not be launched: what they do follows."""
        needed = set(self.needed)
        return tuple(rank for rank in self.alike if rank not in needed)

    @property
    def neighbours(self) -> tuple[int, ...]:
        """Two stages side by side that are alike, as far from the ends as there are."""
        middle = (len(self.chain) - 1) / 2
        pairs = [
            (abs(place + 0.5 - middle), pair)
            for place, pair in enumerate(pairwise(self.chain))
            if set(pair) <= set(self.alike)
        ]
        return min(pairs)[1] if pairs else ()


@dataclass(frozen=True, slots=True)
class RankFacts:
    """A launcher's ranks: those that were launched, and how many each of them stands for.

    A stage's rank that was not launched stands for others, too, where `stages` has it.
    """

    world_size: Count
    nodes: Count
    per_node: Count
    launcher: str
    launched: tuple[int, ...]
    represents: dict[int, int]
    reason: str
    plain_start: str | None = None  # why ranks could not be forks of one process
    stages: StageFacts | None = None  # None: every stage was launched

    def __post_init__(self) -> None:
        if self.world_size > _MOST_RANKS:
            raise ValueError(f"world_size: {self.world_size:,} is more than {_MOST_RANKS:,}")
        standing = {*self.launched, *(self.stages.derived if self.stages else ())}
        if standing != set(self.represents):
            raise ValueError("represents: it must name the launched ranks and no others")
        if not self.launched or not all(0 <= rank < self.world_size for rank in self.launched):
            raise ValueError(f"launched: ranks are numbers from 0 to {self.world_size - 1}")

    @property
    def virtual(self) -> int:
        """Ranks without a capture of their own."""
        return self.world_size - len(self.represents)

    def weight(self, rank: int) -> int:
        """Ranks that this one stands for, itself included."""
        return self.represents.get(rank, 1)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The whole file. A new fact is a field with a default: older runs do not have it."""

    format: int
    command: tuple[str, ...]
    directory: str
    gpu: str
    gpu_name: str
    gpu_total_memory_bytes: Bytes
    gpu_context_bytes: Bytes
    gpus: Count
    steps: Count
    max_seconds: Amount
    strict: bool
    routing: str
    record: bool
    ended_by: Ending
    exit_code: int
    wall_seconds: Amount
    captures: tuple[str, ...]
    versions: Versions
    host: HostFacts | None = None
    ranks: RankFacts | None = None  # None: the command was run as it is
    held_files: HeldFiles | None = None  # None: the program wrote to the user's files

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format: it is {self.format}; this maya reads {FORMAT}")
        if strange := [name for name in self.captures if not names.is_capture(name)]:
            raise ValueError(f"captures: {strange[0]!r} is no name of a capture")

    @property
    def usable_memory_bytes(self) -> int:
        """What the program could allocate on a GPU."""
        return self.gpu_total_memory_bytes - self.gpu_context_bytes

    @property
    def script_failed(self) -> bool:
        """Whether the program ended itself, and badly."""
        return self.ended_by == "script" and self.exit_code != 0
