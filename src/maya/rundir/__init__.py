"""The directory of a run: names of its files, its lock, and the facts that it keeps."""

from maya.rundir.directory import FailedRank, RunDirectory, new_run_directory
from maya.rundir.facts import HostFacts, RankFacts, RunFacts, Versions
from maya.rundir.files import read_text, write_whole

__all__ = [
    "FailedRank",
    "HostFacts",
    "RankFacts",
    "RunDirectory",
    "RunFacts",
    "Versions",
    "new_run_directory",
    "read_text",
    "write_whole",
]
