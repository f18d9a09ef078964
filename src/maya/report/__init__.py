"""Shows predictions to people."""

from maya.report.comparison import comparison_lines
from maya.report.quantities import duration
from maya.report.text import summary_lines

__all__ = ["comparison_lines", "duration", "summary_lines"]
