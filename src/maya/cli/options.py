"""Options that several commands take, each written once: its name, its help, its limits."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from maya.simulator.variation import LARGEST_JITTER


class UnknownValues(StrEnum):
    """How unknown values are answered."""

    MEANING = "meaning"
    ZEROS = "zeros"


class ClockKind(StrEnum):
    """Which time a program is shown."""

    REAL = "real"
    VIRTUAL = "virtual"


Host = Annotated[str | None, typer.Option(help="CPU profile (default: the cluster's own).")]
HostScale = Annotated[
    float, typer.Option(min=0.0, help="CPU time times this: 2 is a CPU half as fast.")
]
TokensPerStep = Annotated[
    float | None, typer.Option(help="Tokens in a step, where Maya cannot see them.")
]
SamplesPerStep = Annotated[
    float | None, typer.Option(help="Samples in a step, where Maya cannot see them.")
]
ShareLinks = Annotated[
    bool, typer.Option(help="Transfers at the same time share the bandwidth of a link.")
]
OverlapSlowdown = Annotated[
    bool, typer.Option(help="Kernels and communication slow each other down.")
]
Ideal = Annotated[bool, typer.Option("--ideal", help="Take all GPUs to be equally fast.")]
Measurements = Annotated[
    Path | None,
    typer.Option(help="CSV or Parquet file of measured kernels, used instead of estimates."),
]
MaskDensity = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Share of the mask that flex attention computes, where data decides (0 to 1).",
    ),
]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="[FILE.json]",
        help="The answer as JSON, on stdout or in a file whose name ends in .json.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", help="Say the answer in one line, and nothing else.")
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Leave nothing out.")]

MaxSeconds = Annotated[float, typer.Option(help="End the program after this time at the latest.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first unsupported call.")]
Routing = Annotated[
    str,
    typer.Option(help="Tokens per expert where a program asks: balanced, zipf[:S], or a FILE."),
]
Unknown = Annotated[
    UnknownValues,
    typer.Option(help="What the program reads where no GPU computed it: a likely value, or zeros."),
]
OutputLengths = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="TOKENS",
        help="How many tokens generate() of transformers makes (default: as many as it may).",
    ),
]
StepMarker = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="A step begins with each NVTX or profiler range of this name."
    ),
]
Clock = Annotated[
    ClockKind,
    typer.Option(help="virtual: the program's own clock and events show the predicted time."),
]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Directory of the run.")]
Force = Annotated[bool, typer.Option("--force", help="Use a directory that is not empty.")]
KeepFiles = Annotated[
    bool,
    typer.Option("--keep-files", help="Keep what the program writes, in the run directory."),
]
AllowWrites = Annotated[
    bool,
    typer.Option("--allow-writes", help="Let the program write to your own files."),
]

PageFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the page there. Implies --html."),
]
OpenPage = Annotated[
    bool, typer.Option("--open", help="Open the page in a browser. Implies --html.")
]

PredictionName = Annotated[
    str | None,
    typer.Option(
        "--prediction",
        metavar="NAME",
        help="Of several: a cluster, or a name in RUN/predictions (default: the last one made).",
    ),
]

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
        max=LARGEST_JITTER,
        help="Random variation of every kernel's time, as a share of it (0.02 is 2%). Implies "
        "--every-rank.",
        rich_help_panel=_RANKS,
    ),
]
SlowNode = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NODE=FACTOR",
        help="Kernels of this node take FACTOR times as long; may be repeated. Implies "
        "--every-rank.",
        rich_help_panel=_RANKS,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the simulated jitter.", rich_help_panel=_RANKS)]
Trials = Annotated[
    int, typer.Option(min=1, help="Simulations with jitter.", rich_help_panel=_RANKS)
]
