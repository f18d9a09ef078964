"""Shows predictions to people."""

from maya.report.text import duration, summary_lines

__all__ = ["duration", "summary_lines"]
