"""What `run`, `simulate` and `report` share: predicting, writing, printing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.markup import escape

from maya.analyze import Options, answer_of, write_summary
from maya.analyze.predict import Progress
from maya.analyze.tables import kernel_table, write_table
from maya.cli.render import print_json, stderr
from maya.errors import ExitCode, MayaError
from maya.estimate import Chain, default_chain, read_measurements
from maya.hardware import Cluster, find_cluster, find_host
from maya.report import summary_lines
from maya.trace import Run


def chain_with(measurements: Path | None, mask_density: float) -> Chain:
    """The estimators, with a user's measurements before them where there are any."""
    own = [read_measurements(measurements)] if measurements else []
    return default_chain(own, mask_density)


def target_cluster(cluster: str, host: str | None) -> Cluster:
    """The cluster that the command line names, with another CPU where it names one."""
    target = find_cluster(cluster)
    return target.model_copy(update={"host": find_host(host)}) if host else target


def answer(
    run: Run,
    target: Cluster,
    options: Options,
    tokens_per_step: float | None,
    samples_per_step: float | None,
    *,
    json: bool,
) -> ExitCode:
    """Predict a run, leave summary.json beside it and print it."""
    directory = run.path if run.path.is_dir() else run.path.parent
    with progress() as say:
        summary, prediction = answer_of(
            run,
            target,
            options,
            say,
            tokens_per_step=tokens_per_step,
            samples_per_step=samples_per_step,
        )
    if prediction is not None:
        write_table(directory, kernel_table(prediction))
    write_summary(directory, summary)
    return show(summary, directory, json=json)


def show(summary: dict[str, Any], path: Path, *, json: bool) -> ExitCode:
    """Print a summary; the exit code says whether it fits, and whether there is a step."""
    if json:
        print_json(summary)
    for line in summary_lines(summary):
        stderr.print(line, soft_wrap=True)
    for command in _next(summary, path):
        stderr.print(f"next           [bold]{escape(command)}[/]", soft_wrap=True)
    if summary["memory"]["oom"]:
        return ExitCode.OUT_OF_MEMORY
    return ExitCode.NO_STEP if summary["step"] is None else ExitCode.OK


def _next(summary: dict[str, Any], path: Path) -> list[str]:
    """What a person would type now."""
    where = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    if summary["step"] is None or summary["memory"]["oom"]:
        return [f"maya report {where}", f"maya inspect {where}"]
    gpu = "h100" if summary["emulation"]["gpu"] != "h100" else "b200"
    other = f"{gpu}:{str(summary['cluster']).rpartition(':')[2]}"
    return [f"maya report {where}", *_simulations(where, other)]


def _simulations(where: Path, cluster: str) -> list[str]:
    """The same shape of another GPU, where there is such a cluster."""
    try:
        return [f"maya simulate {where} --cluster {find_cluster(cluster).name}"]
    except MayaError:
        return []


@contextmanager
def progress() -> Iterator[Progress]:
    """A line on stderr that says what goes on; nothing where nobody looks."""
    if not stderr.is_terminal:
        yield lambda _: None
        return
    with stderr.status("reading captures") as status:
        yield status.update


@contextmanager
def emulating() -> Iterator[None]:
    """The same while the script runs; where its output is on the terminal, that tells enough."""
    if not stderr.is_terminal or sys.stdout.isatty():
        yield
        return
    with stderr.status("emulating"):
        yield
