"""Predicts a job twice: from the ranks that differ, and from all of them."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from test_ranks import maya_run

TOLERANCE = 0.005  # of the step time; memory must be the same to the byte


def hold_few_against_all(
    directory: Path,
    environment: Mapping[str, str],
    ranks: int,
    launched: int,
    words: list[str],
    python: Path | str = sys.executable,
) -> None:
    """The two predictions of a script with its arguments agree; `launched` ranks are enough."""
    found = []
    for which in ("", "--all-ranks"):
        part = directory / (which or "few")
        part.mkdir()
        done, summary = maya_run(
            part,
            environment,
            f"h100:{ranks}",
            "--nproc-per-node",
            str(ranks),
            *words,
            options=f"--host-scale 0 --steps 2 --max-seconds 250 {which}",
            python=python,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found.append(summary)
    few, whole = found
    assert few["emulation"]["launched_ranks"] == launched
    assert whole["emulation"]["launched_ranks"] == ranks
    assert few["step"]["time_ms"] == pytest.approx(whole["step"]["time_ms"], rel=TOLERANCE)
    peaks = {r["rank"]: r["peak_allocated_bytes"] for r in whole["memory"]["per_rank"]}
    for row in few["memory"]["per_rank"]:
        assert row["peak_allocated_bytes"] == peaks[row["rank"]]
