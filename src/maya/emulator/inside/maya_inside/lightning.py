"""Lightning and Fabric start their own ranks by running the script once more for each of them.

The script is run until it comes there; then all ranks are handed over, the first one too.
"""

import sys
from types import ModuleType
from typing import Any

from maya_inside.handing import hand_over


def activate(module: ModuleType) -> None:
    """Stand in for what starts the other ranks of the node."""
    module._SubprocessScriptLauncher._call_children_scripts = _hand_over


def _hand_over(launcher: Any) -> None:
    per_node, nodes = launcher.num_processes, launcher.num_nodes
    job = {"WORLD_SIZE": str(per_node * nodes), "LOCAL_WORLD_SIZE": str(per_node)}
    hand_over([sys.executable, *sys.orig_argv[1:]], job)
