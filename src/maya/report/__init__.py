"""Shows predictions to people."""

from maya.report.quantities import duration
from maya.report.text import summary_lines

__all__ = ["duration", "summary_lines"]
