"""run.json of runs that tests make up."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from maya.rundir import RankFacts, RunDirectory, RunFacts, Versions
from maya.trace import Capture, Run

USUAL = RunFacts(
    format=1,
    command=("python", "train.py"),
    directory="/work",
    gpu="h100",
    gpu_name="NVIDIA H100 80GB HBM3",
    gpu_total_memory_bytes=80 << 30,
    gpu_context_bytes=1 << 29,
    gpus=1,
    steps=3,
    max_seconds=600.0,
    strict=False,
    routing="balanced",
    record=True,
    ended_by="steps",
    exit_code=0,
    wall_seconds=1.5,
    captures=(),
    versions=Versions("1", "2.9.1", 12, "6.0"),
)


def write_facts(directory: Path, **changes: Any) -> RunFacts:
    """A complete run of the captures that are there."""
    run_dir = RunDirectory(directory)
    listed = tuple(path.name for path in run_dir.capture_files())
    facts = replace(USUAL, **({"captures": listed} | changes))
    run_dir.write_facts(facts)
    return facts


def stand_ins(representative: Sequence[int]) -> RankFacts:
    """Ranks of which some are virtual."""
    launched = tuple(sorted(set(representative)))
    counts = {rank: list(representative).count(rank) for rank in launched}
    return RankFacts(len(representative), 1, len(representative), "torchrun", launched, counts, "")


def run_of(captures: Sequence[Capture]) -> Run:
    """Captures with the run.json beside them, where there is one."""
    directory = captures[0].path.parent
    return Run(directory, tuple(captures), RunDirectory(directory).read_facts())
