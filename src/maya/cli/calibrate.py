"""maya calibrate: learn from the user's own profiler traces."""

from pathlib import Path

import typer

from maya.calibration import (
    Calibration,
    FamilyError,
    MeasurementPlan,
    calibrate,
    plan_measurements,
    read_traces,
    write_measurements,
)
from maya.cli.predict import progress
from maya.cli.render import stderr, stdout
from maya.errors import MayaError
from maya.hardware import find_gpu
from maya.prediction import find_target, predict, predict_again
from maya.summary import read_prediction
from maya.trace import collect

_SHOWN = 20
_NAME = 60
_WIDTH = 38  # of the family's column


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(command)


def command(
    traces: list[Path] | None = typer.Argument(
        None,
        metavar="TRACE...",
        help="Traces of torch.profiler (.json, .json.gz) or of nsys (.sqlite).",
    ),
    output: Path | None = typer.Option(
        None,
        "-o",
        "--output",
        metavar="FILE",
        help="What to write (default: measurements.csv, with --plan measure.py).",
    ),
    run: Path | None = typer.Option(
        None,
        metavar="RUN",
        help="A run of the same program, for sizes that the trace does not have.",
    ),
    gpu: str | None = typer.Option(
        None, metavar="GPU", help="GPU of the traces, if they do not name it."
    ),
    plan: Path | None = typer.Option(
        None,
        metavar="RUN",
        help="Say what to measure for RUN instead, and write a script that does it.",
    ),
    cluster: str | None = typer.Option(
        None, metavar="CLUSTER", help="Cluster of --plan (default: that of the last prediction)."
    ),
    most: int = typer.Option(20, min=1, metavar="N", help="How many kernels --plan lists."),
) -> None:
    """Learn from profiler traces of a real GPU."""
    if plan is not None:
        if traces:
            raise MayaError("--plan takes a run and no traces", hint="maya calibrate --plan RUN")
        plan_for(plan, cluster, most, output or Path("measure.py"))
        return
    output = output or Path("measurements.csv")
    found = calibrate(
        read_traces(traces or []), find_gpu(gpu) if gpu else None, collect(run) if run else None
    )
    for line in lines(found):
        stdout.print(line, soft_wrap=True, highlight=False, markup=False)
    write_measurements(found, output)
    stderr.print(f"wrote {output}", soft_wrap=True)
    stderr.print(
        f"next           maya simulate RUN --cluster {found.gpu.id}:1 --measurements {output}",
        soft_wrap=True,
    )


def plan_for(path: Path, cluster: str | None, most: int, output: Path) -> None:
    """Say what to measure, and write the script."""
    run = collect(path)
    with progress() as say:
        if cluster is not None:
            predict(run, find_target(cluster), progress=say)
        found = predict_again(run, read_prediction(run.directory.path).summary, say)
    planned = plan_measurements(found, most)
    for line in plan_lines(planned):
        stdout.print(line, soft_wrap=True, highlight=False, markup=False)
    text = planned.script()
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise MayaError(f"cannot write {output}: {error.strerror}") from error
    stderr.print(f"wrote {output}", soft_wrap=True)
    stderr.print(f"next           python {output} measurements.csv, on a machine with the GPU")


def plan_lines(planned: MeasurementPlan) -> list[str]:
    """The kernels in their order, and what is left of the doubt."""
    told = [
        f"now            device time on {planned.gpu} is known to {planned.sigma:.1%} (one sigma)",
        "",
        f"{'measure':<{_NAME}} {'of the time':>11} {'estimate to':>11} {'then':>6}",
    ]
    for one in planned.wanted:
        note = "" if one.item else "  (not in the script)"
        name = one.name if len(one.name) <= _NAME else f"{one.name[: _NAME - 3]}..."
        told.append(
            f"{name:<{_NAME}} {one.share:>11.1%} {one.uncertainty:>11.0%} {one.sigma:>6.1%}{note}"
        )
    return told


def lines(found: Calibration) -> list[str]:
    """How wrong Maya was: in total, then by family."""
    whole = found.whole
    told = [f"traced         {found.total_ms:,.2f} ms of kernels on {found.gpu.name}"]
    if whole is None:
        return [
            *told,
            "compared       nothing: the trace has no sizes (record_shapes=True), no --run",
        ]
    share = whole.measured_ms / found.total_ms
    told.append(f"compared       {whole.measured_ms:,.2f} ms of it ({share:.0%}); {_error(whole)}")
    told.append("")
    head = f"{'family':<{_WIDTH}} {'problems':>8} {'calls':>6} {'measured':>11} {'estimated':>11}"
    told.append(f"{head} {'error':>7} {'median':>7}")
    families = found.by_family()
    told += map(_line, families[:_SHOWN])
    if len(families) > _SHOWN:
        told.append(f"... and {len(families) - _SHOWN} more")
    return told


def _error(whole: FamilyError) -> str:
    return (
        f"estimated {whole.estimated_ms:,.2f} ms, {whole.error:+.1%}; "
        f"half of the {whole.problems} problems within {whole.median_error:.1%}"
    )


def _line(one: FamilyError) -> str:
    name = f"{one.kernel_class}: {one.family}"[:_WIDTH]
    return (
        f"{name:<{_WIDTH}} {one.problems:>8} {one.calls:>6} {one.measured_ms:>8.3f} ms "
        f"{one.estimated_ms:>8.3f} ms {one.error:>+7.1%} {one.median_error:>7.1%}"
    )
