"""maya calibrate: learn from the user's own profiler traces."""

from pathlib import Path

import typer

from maya.calibration import (
    Calibration,
    FamilyError,
    calibrate,
    read_traces,
    write_measurements,
)
from maya.cli.render import stderr, stdout
from maya.hardware import find_gpu
from maya.trace import collect

_SHOWN = 20
_WIDTH = 38  # of the family's column


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(command)


def command(
    traces: list[Path] = typer.Argument(
        metavar="TRACE...", help="Traces of torch.profiler (.json, .json.gz) or of nsys (.sqlite)."
    ),
    output: Path = typer.Option(
        Path("measurements.csv"), "-o", "--output", help="File for --measurements."
    ),
    run: Path | None = typer.Option(
        None, metavar="RUN", help="A run of the same program: tells sizes that the trace does not."
    ),
    gpu: str | None = typer.Option(None, help="GPU of the traces, where they do not tell it."),
) -> None:
    """Compare Maya with profiler traces of a real GPU; write what was measured for predictions."""
    found = calibrate(
        read_traces(traces), find_gpu(gpu) if gpu else None, collect(run) if run else None
    )
    for line in lines(found):
        stdout.print(line, soft_wrap=True, highlight=False, markup=False)
    write_measurements(found, output)
    stderr.print(f"wrote {output}", soft_wrap=True)
    stderr.print(
        f"next           maya simulate RUN --cluster {found.gpu.id}:1 --measurements {output}",
        soft_wrap=True,
    )


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
