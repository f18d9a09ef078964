"""Each workload, an ordinary training script, runs unmodified and leaves the right record."""

import subprocess
from pathlib import Path

import pytest
from workload_rows import ROWS, Workload
from workload_run import SCRIPTS, Outcome, command_line, emulate, problems

from maya.emulator.native import native_dir

MARGIN_S = 60  # what a run may take beyond its --max-seconds


def _cases(*rows: Workload) -> list[object]:
    return [
        pytest.param(
            row,
            id=row.id,
            marks=[
                pytest.mark.timeout(row.max_seconds + MARGIN_S),
                *([pytest.mark.smoke] if row.smoke else []),
            ],
        )
        for row in rows
    ]


def _verify(row: Workload, outcome: Outcome) -> None:
    found = list(problems(row, outcome))
    assert not found, "\n".join([*found, str(outcome)])


@pytest.mark.parametrize("row", _cases(*ROWS))
def test_workload_runs_unmodified(
    row: Workload, tmp_path: Path, python_cu12: Path, workload_environment: dict[str, str]
) -> None:
    outcome = emulate(command_line(row, python_cu12), row, tmp_path, workload_environment)
    _verify(row, outcome)
    if row.id == "noisy":
        assert outcome.stdout == _noise(), "stdout is not byte for byte the script's own"


@pytest.mark.torch13
@pytest.mark.parametrize("row", _cases(*[row for row in ROWS if row.cu13]))
def test_workload_runs_unmodified_on_cuda_13(
    row: Workload, tmp_path: Path, python_cu13: Path, workload_environment: dict[str, str]
) -> None:
    outcome = emulate(command_line(row, python_cu13), row, tmp_path, workload_environment)
    _verify(row, outcome)


@pytest.mark.smoke
@pytest.mark.parametrize("major", [12, 13])
def test_c_program_uses_cudart_and_cublas(
    major: int, tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    program = tmp_path / "axpy"
    libraries = [native_dir() / f"lib{name}.so.{major}" for name in ("cudart", "cublas")]
    # What the fakes themselves need is found when the program runs.
    options = ["-std=c11", "-Wall", "-Wl,--allow-shlib-undefined"]
    built = subprocess.run(
        ["gcc", *options, SCRIPTS / "axpy.c", "-o", program, *libraries],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    row = Workload(
        "axpy",
        str(program),
        steps=0,
        ended_by="script",
        library=("cublasSaxpy", "cublasSgemm"),
        allocations=("device", "pinned"),
        stdout=(f"CUDA {major}0", "done\n"),
    )
    _verify(row, emulate([str(program)], row, tmp_path, workload_environment))


def _noise() -> bytes:
    """What workloads/noisy.py prints."""
    parts = []
    for step in range(3):
        parts += [
            f"step {step} line {line} {'x' * (line % 60)}\n".encode() for line in range(20_000)
        ]
        parts.append(bytes(range(256)))
    return b"".join([*parts, b"no newline at the end"])
