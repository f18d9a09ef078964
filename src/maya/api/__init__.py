"""What `import maya` offers. Nothing heavy is imported before it is used."""

from maya.api.functions import run, search, simulate
from maya.api.report import Report

__all__ = ["Report", "run", "search", "simulate"]
