"""Programs that join the clock of a run: the clients of a server."""

import json
import os
from collections.abc import Mapping

from maya.rundir import RunDirectory, names


def write_client_environment(run_dir: RunDirectory, env: Mapping[str, str]) -> None:
    """What they need on top of their own environment; nothing of the user's is written down."""
    own = {name: value for name, value in env.items() if os.environ.get(name) != value}
    # A client is no part of what is predicted.
    own["MAYA_RECORD"] = "0"
    part = run_dir.file(names.CLIENTS).with_suffix(".part")
    part.write_text(json.dumps(own), encoding="utf-8")
    part.rename(run_dir.file(names.CLIENTS))


def client_environment(run_dir: RunDirectory) -> dict[str, str] | None:
    """None where the run takes no clients."""
    text = run_dir.text(names.CLIENTS)
    return os.environ | json.loads(text) if text else None
