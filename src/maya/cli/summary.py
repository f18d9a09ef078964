from typing import Any
from maya.cli.render import stderr
from maya.emulate import EmulationResult
def summary_json(result: EmulationResult) -> dict[str, Any]:
    return {"run": str(result.run_dir), "ended_by": result.ended_by, "exit_code": result.exit_code}
def print_summary(result: EmulationResult) -> None:
    stderr.print(summary_json(result))
