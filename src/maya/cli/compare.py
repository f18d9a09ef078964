"""What `simulate` prints of several clusters."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from maya.cli.predict import exit_code, progress
from maya.cli.render import print_text, stderr
from maya.errors import ExitCode
from maya.hardware import Cluster
from maya.prediction import Candidate, predict_each
from maya.report import comparison_lines
from maya.summary import PredictionOptions, prediction_name
from maya.trace import Run


def compare(
    run: Run, targets: Sequence[Cluster], options: PredictionOptions, *, json: Path | None
) -> ExitCode:
    """A line a cluster. It ends well where the run fits one of them and has a step there."""
    with progress() as say:
        found = predict_each(run, targets, options, say)
    if json:
        print_text(_json(found), json)
    else:
        lines = comparison_lines([one.summary for one in found if one.summary])
        print_text("\n".join(lines) + "\n")
        _tell_problems(found)
        _next(run.directory.path, found)
    codes = [exit_code(one.summary) if one.summary else ExitCode.ERROR for one in found]
    return ExitCode.OK if ExitCode.OK in codes else codes[0]


def _json(found: Sequence[Candidate]) -> str:
    """A list of summaries; of a cluster that cannot take the run there is none."""
    texts = [one.summary.to_json().rstrip() for one in found if one.summary]
    return "[" + ",\n".join(texts) + "]\n"


def _tell_problems(found: Sequence[Candidate]) -> None:
    for one in found:
        if problem := one.refused or (one.summary.no_step if one.summary else None):
            stderr.print(f"{escape(one.cluster.name)}: {escape(problem)}", soft_wrap=True)


def _next(path: Path, found: Sequence[Candidate]) -> None:
    if summary := next((one.summary for one in found if one.summary), None):
        name = prediction_name(summary.cluster, summary.options)
        command = escape(f"maya report {shlex.quote(str(path))} --prediction {name}")
        stderr.print(f"next           [bold]{command}[/]", soft_wrap=True)
