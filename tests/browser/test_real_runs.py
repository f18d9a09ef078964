"""Pages of five real runs in Chromium: what a person reads there is what summary.json says."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import COMPILED, FRAMEWORKS, PROGRAMS, Program

from maya.errors import ExitCode
from maya.page.document import unpacked
from maya.report.quantities import duration, size
from maya.summary import read_prediction

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
MOST_BYTES = 3 << 20


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_of_a_real_run_says_what_its_summary_says(
    name: str, tmp_path: Path, visit: Callable[..., str], workload_environment: dict[str, str]
) -> None:
    program = PROGRAMS[name]
    run = _recorded(program, tmp_path, workload_environment)
    page = run / "report.html"
    assert page.stat().st_size < MOST_BYTES
    told = json.loads((run / "summary.json").read_text("utf-8"))
    assert unpacked(page.read_text("utf-8"))["summary"] == told
    shown = visit(page, "run" if program.fits else "plain")
    summary = read_prediction(run).summary
    if summary.step is None:
        assert f"{size(summary.memory.missing_bytes)} missing" in shown
        return
    assert f"step: {duration(summary.step.time_ms)}" in shown
    assert f"memory: {size(summary.memory.peak_reserved_bytes)}" in shown
    assert f"MFU: {summary.mfu:.1%}" in shown
    assert summary.communication is not None
    if summary.communication.total_ms:
        exposed = duration(summary.communication.exposed_ms)
        assert f"exposed communication: {exposed}" in shown
    drawn = unpacked(page.read_text("utf-8"))
    shares_ms = sum(share["ms"] for share in drawn["shares"])
    assert shares_ms == pytest.approx(drawn["mean_step_ms"], rel=0.001)
    assert summary.step.low_ms * 0.9 < shares_ms < summary.step.high_ms * 1.1


def _recorded(program: Program, place: Path, environment: dict[str, str]) -> Path:
    compiled = place / "compiled.py"
    compiled.write_text(COMPILED)
    python = str(FRAMEWORKS) if program.frameworks else sys.executable
    words = shlex.split(program.words.format(compiled=compiled))
    run = place / "run"
    options = ["--cluster", program.cluster, "-o", str(run), "-q"]
    code = _maya(environment, "run", *options, "--", python, *words)
    assert code == (ExitCode.OK if program.fits else ExitCode.OUT_OF_MEMORY)
    assert _maya(environment, "report", str(run), "--html") == ExitCode.OK
    return run


def _maya(environment: dict[str, str], *words: str) -> int:
    done = subprocess.run(
        [sys.executable, "-m", "maya", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    print(done.stderr[-2000:])
    return done.returncode
