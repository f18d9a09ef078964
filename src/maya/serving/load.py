"""A load as people write it: `requests=200,rate=10,input=512,output=128,arrivals=poisson`."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from maya.errors import MayaError

ARRIVALS = ("poisson", "constant", "burst")
_EXAMPLE = "--load requests=200,rate=10,input=512,output=128"


@dataclass(frozen=True, slots=True)
class RequestLoad:
    """What is asked of a server. Lengths are in tokens.

    `lengths`: a file of "input output [weight]" lines to draw from; `trace`: a file of
    "second input output" lines to follow.
    """

    requests: int = 100
    rate: float = 1.0  # a second; burst: all at once
    input: int = 512
    output: int = 128
    arrivals: str = "poisson"
    lengths: str = ""
    trace: str = ""
    seed: int = 0

    def at_rate(self, rate: float) -> "RequestLoad":
        """The same, faster or slower."""
        return replace(self, rate=rate)

    def words(self) -> dict[str, Any]:
        """For the program that sends the requests."""
        return asdict(self)


def parse_load(text: str) -> RequestLoad:
    """From the words of the command line."""
    kinds = get_type_hints(RequestLoad)
    given: dict[str, Any] = {}
    for term in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = term.partition("=")
        if name not in kinds:
            raise MayaError(f"a load has no {name!r}", hint=_EXAMPLE)
        try:
            given[name] = kinds[name](value)
        except ValueError as error:
            raise MayaError(f"{term!r} is no number", hint=_EXAMPLE) from error
    load = RequestLoad(**given)
    if load.arrivals not in ARRIVALS:
        raise MayaError(f"arrivals are {', '.join(ARRIVALS)}, not {load.arrivals!r}")
    if min(load.requests, load.input, load.output) < 1 or load.rate <= 0:
        raise MayaError("requests, rate and lengths of a load must be positive", hint=_EXAMPLE)
    for path in filter(None, (load.lengths, load.trace)):
        if not Path(path).is_file():
            raise MayaError(f"there is no file {path}")
    return load
