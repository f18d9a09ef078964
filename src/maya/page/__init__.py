"""The answer as one HTML file that people can look at, send around and keep."""

from maya.page.document import Page, render, write_page
from maya.page.of_diff import Side, diff_page, difference_line
from maya.page.of_run import part_page, run_page

__all__ = [
    "Page",
    "Side",
    "diff_page",
    "difference_line",
    "part_page",
    "render",
    "run_page",
    "write_page",
]
