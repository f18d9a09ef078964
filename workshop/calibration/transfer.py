"""Calibrate on one trace, estimate another of the same GPU."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from maya.calibration import calibrate, read_traces, write_measurements
from maya.calibration.calibrating import Compared, compare
from maya.calibration.observations import observe
from maya.estimate import default_chain, read_measurements
from maya.estimate.chain import Chain
from maya.hardware import Gpu


@dataclass(frozen=True, slots=True)
class Errors:
    """Of one trace, by one set of estimators."""

    total: float  # of the sum
    median: float  # of single problems, without sign
    absolute: float  # errors of all problems without sign, over the sum


@dataclass(frozen=True, slots=True)
class Transfer:
    """From one trace to another: without, with factors alone, and with all that was written."""

    learned_from: str
    judged_on: str
    problems: int
    seen: float  # share of the time whose very problems the first trace held
    before: Errors
    factors: Errors
    after: Errors


def transfers(paths: Sequence[Path], gpu: Gpu) -> Iterator[Transfer]:
    """Every pair of different traces, both ways."""
    for source in paths:
        with TemporaryDirectory() as scratch:
            file = Path(scratch, "measurements.csv")
            write_measurements(calibrate(read_traces([source]), gpu), file)
            own = read_measurements(file)
        factors = default_chain(corrections=own.corrections)
        everything = default_chain([own], corrections=own.corrections)
        for target in paths:
            if target != source:
                yield _judge(source, target, gpu, factors, everything)


def _judge(source: Path, target: Path, gpu: Gpu, factors: Chain, everything: Chain) -> Transfer:
    seen = observe(read_traces([target]), gpu, None)
    before = compare(seen, default_chain(), gpu)
    after = compare(seen, everything, gpu)
    told = sum(
        one.seen.total_ns
        for one in after
        if one.seen.work and everything.estimate(one.seen.work, gpu).source == "measured"
    )
    return Transfer(
        source.name,
        target.name,
        len(before),
        told / sum(one.seen.total_ns for one in after),
        _errors(before),
        _errors(compare(seen, factors, gpu)),
        _errors(after),
    )


def _errors(own: Sequence[Compared]) -> Errors:
    """By the typical call: the first of a trace may have chosen its kernel by trying many."""
    weights = [one.seen.typical_ns * len(one.seen.times_ns) for one in own]
    total = sum(weights)
    pairs = list(zip(own, weights, strict=True))
    return Errors(
        sum(one.ratio * weight for one, weight in pairs) / total - 1,
        median(abs(one.ratio - 1) for one in own),
        sum(abs(one.ratio - 1) * weight for one, weight in pairs) / total,
    )
