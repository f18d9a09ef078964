"""Options that several commands take, each written once: its name, its help, its limits."""

from pathlib import Path
from typing import Annotated

import typer

Host = Annotated[str | None, typer.Option(help="CPU profile (default: the cluster's own).")]
HostScale = Annotated[float, typer.Option(min=0.0, help="Multiplies CPU time.")]
TokensPerStep = Annotated[float | None, typer.Option(help="For tokens per second.")]
SamplesPerStep = Annotated[float | None, typer.Option(help="For samples per second.")]
ShareLinks = Annotated[bool, typer.Option(help="Transfers at the same time share links.")]
OverlapSlowdown = Annotated[bool, typer.Option(help="Overlapping work slows down.")]
Measurements = Annotated[
    Path | None,
    typer.Option(help="CSV or Parquet file of measured kernels, believed before any estimate."),
]
MaskDensity = Annotated[
    float,
    typer.Option(
        min=0.0, max=1.0, help="Blocks of a mask made on the device that flex attention computes."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on stdout.")]

MaxSeconds = Annotated[float, typer.Option(help="End the program after this time at the latest.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first unsupported call.")]
Routing = Annotated[
    str,
    typer.Option(help="Tokens per expert where a program asks: balanced, zipf[:S], or a FILE."),
]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Directory of the run.")]
Force = Annotated[bool, typer.Option("--force", help="Use a directory that is not empty.")]

_RANKS = "Every rank"
EveryRank = Annotated[
    bool,
    typer.Option(
        "--every-rank",
        help="Simulate every rank, not only those that differ.",
        rich_help_panel=_RANKS,
    ),
]
Jitter = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=0.28,
        help="Noise of every kernel: standard deviation, relative. Implies --every-rank.",
        rich_help_panel=_RANKS,
    ),
]
SlowNode = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NODE=FACTOR",
        help="Kernels of this node take so many times as long; may be repeated. Implies "
        "--every-rank.",
        rich_help_panel=_RANKS,
    ),
]
Seed = Annotated[int, typer.Option(help="Of the noise.", rich_help_panel=_RANKS)]
Trials = Annotated[int, typer.Option(min=1, help="Simulations with noise.", rich_help_panel=_RANKS)]
