"""A command says what it will do before it loads what only its work needs."""

import json
import subprocess
import sys

HEAVY = {"optuna", "polars", "pyarrow", "ray", "scipy", "sqlalchemy", "torch"}
_LOADED = """
import json, sys
import maya.cli.app
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


def test_no_library_that_is_slow_to_import_delays_the_first_line() -> None:
    """All commands are known then, of which most need none of these."""
    told = subprocess.run(
        [sys.executable, "-c", _LOADED], check=True, capture_output=True, text=True
    )
    loaded = set(json.loads(told.stdout))
    assert "typer" in loaded
    assert not loaded & HEAVY
