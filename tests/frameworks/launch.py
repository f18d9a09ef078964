"""Runs a framework's script on two emulated GPUs and hands back what it left."""

from collections.abc import Mapping
from pathlib import Path

from workload import Workload
from workload_run import Outcome, emulate, problems

ROOT = Path(__file__).resolve().parents[2]
WORKLOADS = Path(__file__).parent / "workloads"


def train(
    program: Path | str,
    arguments: str,
    python: Path,
    directory: Path,
    environment: Mapping[str, str],
    **expected: object,
) -> Outcome:
    """A script, or a module by its name, under torchrun until its steps repeat.

    A failure and an unsupported call are errors.
    """
    ranks = expected.setdefault("ranks", 2)
    row = Workload(
        str(program),
        arguments,
        steps=2,
        max_seconds=240,  # frameworks take long to import on a busy machine
        captures=ranks,  # type: ignore[arg-type]
        **expected,  # type: ignore[arg-type]
    )
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
    module = ["-m"] if isinstance(program, str) else []
    command = [str(python), *torchrun, *module, str(program), *arguments.split()]
    outcome = emulate(command, row, directory, environment)
    found = list(problems(row, outcome))
    assert not found, "\n".join([*found, str(outcome)])
    return outcome
