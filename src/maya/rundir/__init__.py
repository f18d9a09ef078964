"""The directory of a run: names of its files, its lock, and the facts that it keeps."""

from maya.rundir.directory import (
    WHERE_RUNS_ARE,
    FailedRank,
    RunDirectory,
    new_run_directory,
)
from maya.rundir.facts import HeldFiles, HostFacts, RankFacts, RunFacts, StageFacts, Versions
from maya.rundir.files import cannot_write, read_text, remove_tree, write_whole

__all__ = [
    "WHERE_RUNS_ARE",
    "FailedRank",
    "HeldFiles",
    "HostFacts",
    "RankFacts",
    "RunDirectory",
    "RunFacts",
    "StageFacts",
    "Versions",
    "cannot_write",
    "new_run_directory",
    "read_text",
    "remove_tree",
    "write_whole",
]
