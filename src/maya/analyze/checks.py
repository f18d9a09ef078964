"""Whether a run went well enough to be predicted."""

from maya.errors import MayaError
from maya.trace import Run


def check_run(run: Run) -> None:
    """Failed runs are refused; a bare capture has nothing to be held against."""
    if run.facts is not None and run.facts.script_failed:
        raise MayaError(
            f"the script of this run failed with exit code {run.facts.exit_code}: "
            "there is no step to predict",
            hint="`maya inspect` shows what was recorded; mend the script and emulate it again",
        )
