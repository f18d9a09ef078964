"""What a summary says of a step: its time, where that goes, and what it costs."""

from dataclasses import dataclass
from typing import Literal

from maya.rundir import HeldFiles
from maya.typed_numbers import Amount, Count, Milliseconds, Real, Share


@dataclass(frozen=True, slots=True)
class Period:
    """Steps of which some do more than others; `time_ms` of the step is the mean over all."""

    steps: Count
    plain_ms: Milliseconds  # a step without the extra
    extra_ms: Real  # in all of a period, beyond plain steps


@dataclass(frozen=True, slots=True)
class Step:
    """The predicted time and the interval that holds `coverage` of measurements."""

    time_ms: Milliseconds
    low_ms: Milliseconds
    high_ms: Milliseconds
    coverage: Share
    count: Count  # steps that were simulated
    steady: bool
    period: Period | None = None  # where some steps do more than others


@dataclass(frozen=True, slots=True)
class Load:
    """What sustained clocks and the slowest of many GPUs add to the step, relative."""

    clock: Share  # of the usual one, mean over the work that follows it
    clocks_cost: Real
    ranks: Count  # that wait for each other
    slowest_cost: Real
    p50_ms: Milliseconds  # over machines
    p95_ms: Milliseconds


@dataclass(frozen=True, slots=True)
class EveryRank:
    """Steps when ranks differ in speed; `slowdown` is against ranks that do not."""

    ranks: Count
    jitter: Amount
    slow_nodes: dict[str, Amount]
    seed: int
    trials: Count
    samples: Count
    median_ms: Milliseconds
    p95_ms: Milliseconds
    slowdown: Real


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """Of a step, mean over ranks."""

    busy_ms: Milliseconds
    idle_ms: Milliseconds
    compute_ms: Milliseconds


@dataclass(frozen=True, slots=True)
class CommunicationTime:
    """Of a step, mean over ranks; exposed: no kernel runs meanwhile."""

    total_ms: Milliseconds
    exposed_ms: Milliseconds


@dataclass(frozen=True, slots=True)
class HostTime:
    """Of a step on the busiest rank; `profile` is the cluster's CPU."""

    busy_ms: Milliseconds
    bound: Literal["host", "device"]
    profile: str


@dataclass(frozen=True, slots=True)
class PathPart:
    """One kernel, collective or stretch of host code on the critical path, over the step."""

    name: str
    category: str
    time_ms: Milliseconds
    count: Count


@dataclass(frozen=True, slots=True)
class PathShares:
    """The critical path of the last step by category, and its longest parts."""

    categories_ms: dict[str, Milliseconds]  # the longest first
    top: tuple[PathPart, ...]  # the longest first
    ranks: tuple[int, ...]  # that the path visits


@dataclass(frozen=True, slots=True)
class Cost:
    """None where no price is known, or no step."""

    usd_per_hour: Amount | None
    usd_per_step: Amount | None
    price_date: str | None


@dataclass(frozen=True, slots=True)
class Throughput:
    """Of the whole job; None where the batch was not seen."""

    samples_per_s: Amount | None = None
    tokens_per_s: Amount | None = None
    sample_unit: str = "samples"  # or graphs, nodes: what the program's loader delivers


@dataclass(frozen=True, slots=True)
class UnsupportedCall:
    """A function of a library that the emulator lacks."""

    name: str
    count: Count


@dataclass(frozen=True, slots=True)
class Saving:
    """Checkpoints of the rank that spent most on them, on the emulating machine."""

    count: Count
    mean_ms: Milliseconds


@dataclass(frozen=True, slots=True)
class HelperProcess:
    """One that used the device beside the ranks."""

    command: str
    calls: Count  # with work for the device


@dataclass(frozen=True, slots=True)
class EmulationFigures:
    """What was recorded."""

    launched_ranks: Count
    virtual_ranks: Count
    wall_s: Amount | None
    calls: Count
    kernels: Count
    gpu: str | None  # that the program saw
    held_files: HeldFiles | None = None  # what did not reach the user's files; None: it was let
    helpers: tuple[HelperProcess, ...] = ()
