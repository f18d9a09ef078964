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


Host = Annotated[
    str | None,
    typer.Option(
        metavar="CPU", help="The hosts' CPU, as in `maya hw list` (default: the cluster's own)."
    ),
]
HostScale = Annotated[
    float,
    typer.Option(
        min=0.0, metavar="FACTOR", help="Multiply CPU times by this: 2 is a CPU half as fast."
    ),
]
TokensPerStep = Annotated[
    float | None, typer.Option(metavar="N", help="Tokens in a step, where Maya cannot see them.")
]
SamplesPerStep = Annotated[
    float | None, typer.Option(metavar="N", help="Samples in a step, where Maya cannot see them.")
]
ShareLinks = Annotated[
    bool, typer.Option(help="Transfers that overlap share the bandwidth of a link.")
]
OverlapSlowdown = Annotated[
    bool, typer.Option(help="Kernels and communication that overlap slow each other down.")
]
Ideal = Annotated[bool, typer.Option("--ideal", help="Assume that all GPUs are equally fast.")]
Measurements = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="CSV or Parquet file of measured kernels, used instead of estimates."
    ),
]
MaskDensity = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        help="Share of its mask's blocks that flex attention computes (0 to 1). Without it: as the "
        "mask says where its blocks are known, else half.",
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
    bool, typer.Option("-q", "--quiet", help="Print the answer in one line, and nothing else.")
]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Print every detail and every note.")
]

MaxSeconds = Annotated[
    float, typer.Option(metavar="SECONDS", help="End the program after this time at the latest.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first call that Maya does not support.")
]
Routing = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="How tokens are spread over experts: balanced, zipf[:S], or a file of weights.",
    ),
]
Unknown = Annotated[
    UnknownValues,
    typer.Option(
        help="What the program reads where only a GPU would know: a likely value, or zeros."
    ),
]
OutputLengths = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="TOKENS",
        help="How many tokens generate() of transformers makes (default: its maximum).",
    ),
]
StepMarker = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="A step begins where an NVTX or profiler range of this name begins."
    ),
]
Clock = Annotated[
    ClockKind,
    typer.Option(help="virtual: the program's own clock shows predicted time."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="DIR",
        help="Directory of the run; an earlier run in it is replaced (default: a new one "
        "in maya-runs).",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Use DIR even if it holds other files.")]
KeepFiles = Annotated[
    bool,
    typer.Option(
        "--keep-files", help="Keep the files that the program writes, in the run directory."
    ),
]
AllowWrites = Annotated[
    bool,
    typer.Option(
        "--allow-writes", help="Let the program change your own files (default: it cannot)."
    ),
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
        help="Which prediction: a cluster, or a name in RUN/predictions (default: the last).",
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
