"""One measured figure and the limit it is held to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """A figure; `limit` is the largest value that is good enough."""

    name: str
    value: float
    limit: float
    unit: str
    detail: str = ""

    @property
    def good(self) -> bool:
        """Whether the figure keeps its promise."""
        return self.value <= self.limit
