"""Runs a framework's script on two emulated GPUs and hands back what it left."""

from collections.abc import Mapping
from pathlib import Path

from workload_rows import Workload
from workload_run import Outcome, emulate, problems

ROOT = Path(__file__).resolve().parents[2]


def train(
    script: Path,
    arguments: str,
    python: Path,
    directory: Path,
    environment: Mapping[str, str],
    **expected: object,
) -> Outcome:
    """Under torchrun, until steps repeat; a failure or an unsupported call is an error."""
    ranks = expected.setdefault("ranks", 2)
    row = Workload(
        script.stem,
        arguments,
        steps=2,
        captures=ranks,  # type: ignore[arg-type]
        **expected,  # type: ignore[arg-type]
    )
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    command = [str(python), *torchrun, str(script), *arguments.split()]
    outcome = emulate(command, row, directory, environment)
    found = list(problems(row, outcome))
    assert not found, "\n".join([*found, str(outcome)])
    return outcome
