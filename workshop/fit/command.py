"""python -m workshop fit: fit a family of estimators to measurements, or write the report."""

from collections.abc import Callable

import typer

from maya.errors import MayaError
from workshop.fit import (
    attention,
    collectives,
    convolution,
    cudnn_attention,
    decode,
    flash,
    gemm,
    gemm_fp8,
    grouped,
    in_models,
    memory,
    network,
    normalisation,
    planar,
    recurrent,
    report,
    simt,
    simt_power,
)

# In the order in which they build on each other: later ones read what earlier ones wrote.
FITS: dict[str, Callable[[], None]] = {
    "memory": memory.fit_all,
    "gemm": gemm.fit_all,
    "gemm_fp8": gemm_fp8.fit_all,
    "grouped": grouped.fit_all,
    "simt": simt.fit_all,
    "simt_power": simt_power.fit_all,
    "in_models": in_models.fit_all,
    "convolution": convolution.fit_all,
    "planar": planar.fit_all,
    "normalisation": normalisation.fit_all,
    "recurrent": recurrent.fit_all,
    "attention": attention.fit_all,
    "flash": flash.fit_all,
    "cudnn_attention": cudnn_attention.fit_all,
    "decode": decode.fit_all,
    "collectives": collectives.fit_all,
    "network": network.fit_all,
}

_FAMILIES = f"Any of: {', '.join(FITS)}; or `all`."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("fit")(fit)
    app.command("report")(write_report)


def fit(
    families: list[str] = typer.Argument(help=_FAMILIES),
) -> None:
    """Fit the parameters in src/maya/estimate/data again and print errors on held-out rows."""
    names = list(FITS) if families == ["all"] else families
    for unknown in [name for name in names if name not in FITS]:
        raise MayaError(f"unknown family {unknown!r}", hint=f"known: {', '.join(FITS)}")
    for name in names:
        FITS[name]()


def write_report() -> None:
    """Write the accuracy of every estimator on held-out rows into docs/estimator-results.md."""
    report.write()
