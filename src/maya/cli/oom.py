"""A script that ran out of memory: a result, not a failure."""

from typing import Any

from maya.analyze import write_summary
from maya.analyze.summary_oom import oom_summary
from maya.cli.predict import show
from maya.errors import ExitCode
from maya.hardware import Cluster
from maya.trace import Run


def report_out_of_memory(run: Run, cluster: Cluster, *, json: bool) -> ExitCode:
    """Write the summary and say how much was missing and what held the memory."""
    summary: dict[str, Any] = oom_summary(run, cluster)
    directory = run.path if run.path.is_dir() else run.path.parent
    write_summary(directory, summary)
    return show(summary, directory, json=json)
