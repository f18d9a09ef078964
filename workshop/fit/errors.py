"""Relative errors and their summary."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far predictions are from measurements."""

    rows: int
    median: float
    p90: float
    bias: float  # median of the signed error

    def as_row(self) -> str:
        """Cells of a Markdown table."""
        return f"{self.rows:,} | {self.median:.1%} | {self.p90:.1%} | {self.bias:+.1%}"


def accuracy(predicted: npt.NDArray[np.float64], measured: npt.NDArray[np.float64]) -> Accuracy:
    """Errors relative to what was measured."""
    signed = predicted / measured - 1
    absolute = np.abs(signed)
    return Accuracy(
        len(signed),
        float(np.median(absolute)),
        float(np.quantile(absolute, 0.9)),
        float(np.median(signed)),
    )
