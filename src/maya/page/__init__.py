"""The answer as one HTML file that people can look at, send around and keep."""

from maya.page.diff_page import Side, diff_page
from maya.page.document import Page, render, write_page
from maya.page.run_page import run_page

__all__ = ["Page", "Side", "diff_page", "render", "run_page", "write_page"]
