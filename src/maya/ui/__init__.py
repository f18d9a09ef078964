"""`maya ui`: runs and searches of a directory, on a local page."""

from maya.ui.server import UiServer

__all__ = ["UiServer"]
