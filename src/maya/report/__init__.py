"""Shows predictions to people."""

from maya.report.answer import answer_line
from maya.report.comparison import comparison_lines
from maya.report.quantities import duration
from maya.report.text import LABEL, summary_lines

__all__ = ["LABEL", "answer_line", "comparison_lines", "duration", "summary_lines"]
