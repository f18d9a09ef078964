"""What a service promises: `ttft=500ms,tpot:p90=40ms`; without a percentile for 99 of 100."""

import re
from dataclasses import dataclass

from maya.errors import MayaError

METRICS = ("ttft", "tpot", "itl", "e2e")
_TERM = re.compile(r"(?P<metric>[a-z0-9]+?)(?::p(?P<percent>\d+))?=(?P<value>[\d.]+)(?P<unit>ms|s)")
_DEFAULT_PERCENT = 99


@dataclass(frozen=True, slots=True)
class Promise:
    """`percent` of the requests take at most so long."""

    metric: str
    percent: int
    most_ms: float


Slo = tuple[Promise, ...]


def parse_slo(text: str) -> Slo:
    """From the words of the command line."""
    return tuple(_promise(term.strip()) for term in text.split(","))


def _promise(term: str) -> Promise:
    match = _TERM.fullmatch(term)
    if match is None or match["metric"] not in METRICS:
        raise MayaError(
            f"{term!r} is no promise", hint="--slo ttft=500ms,tpot=40ms, or ttft:p90=0.5s"
        )
    percent = int(match["percent"] or _DEFAULT_PERCENT)
    if not 0 < percent <= 100:
        raise MayaError(f"{term!r}: a percentile is between 1 and 100")
    most = float(match["value"]) * (1000 if match["unit"] == "s" else 1)
    return Promise(match["metric"], percent, most)
