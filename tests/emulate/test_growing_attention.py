"""Attention over a cache that grows is recorded with its lengths, however many they are."""

import os
import subprocess
import sys
from pathlib import Path

from maya.estimate.kernels.estimator import attention_problem
from maya.trace import collect

SCRIPT = Path(__file__).parent / "workloads" / "growing_attention.py"


def test_every_length_of_a_cache_is_recorded(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    subprocess.run(
        [*line, sys.executable, str(SCRIPT)],
        cwd=tmp_path,
        env=os.environ | workload_environment,
        timeout=300,
        check=True,
    )
    (capture,) = collect(tmp_path / "run").captures
    found = [
        problem.keys
        for number in capture.events["def"].tolist()
        if (definition := capture.definition(number)).text("kernel").find("flash_fwd") > 0
        if (problem := attention_problem(definition))
    ]
    assert found == list(range(8, 48))
