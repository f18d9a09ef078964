"""The `maya` command: one short module per subcommand."""

from maya.cli.app import main

__all__ = ["main"]
