"""Whether the captures of a directory are those of one run that went well."""

from maya.errors import MayaError
from maya.trace import Run


def check_run(run: Run) -> None:
    """Mixed, missing and failed runs are refused; a bare capture has nothing to be held against."""
    if run.path.is_dir() and "captures" in run.description:
        _check_files(run, set(run.description["captures"]))
    code = run.description.get("exit_code")
    if run.description.get("ended_by") == "script" and code:
        raise MayaError(
            f"the script of this run failed with exit code {code}: there is no step to predict",
            hint="`maya inspect` shows what was recorded; mend the script and emulate it again",
        )


def _check_files(run: Run, listed: set[str]) -> None:
    there = {capture.path.name for capture in run.captures}
    if strange := sorted(there - listed):
        raise MayaError(
            f"{strange[0]} is not of the run in {run.path}",
            hint="captures of different runs are mixed: give each run a directory of its own",
        )
    if missing := sorted(listed - there):
        raise MayaError(
            f"{run.path} lacks {missing[0]}, which its run.json lists",
            hint="a capture was moved or deleted: copy it back or emulate again",
        )
