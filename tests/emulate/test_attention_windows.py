"""The sliding window of FlashAttention is found in the arguments of both builds of PyTorch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maya.estimate.kernels.estimator import attention_problem
from maya.trace import collect

LENGTH = 1024
SCRIPT = """
import torch
q = torch.zeros(2, 1024, 4, 64, device="cuda", dtype=torch.bfloat16)
for left, right, causal in ((300, 20, False), (128, 0, True), (None, None, True)):
    sizes = (None, None, 1024, 1024, 0.0, causal)
    window = {"window_size_left": left, "window_size_right": right}
    out, sums, *seeds = torch.ops.aten._flash_attention_forward(q, q, q, *sizes, False, **window)
    torch.ops.aten._flash_attention_backward(out, q, q, q, out, sums, *sizes, *seeds[:2], **window)
"""


@pytest.mark.parametrize(
    "build",
    [
        pytest.param("python_cu12", id="cuda12"),
        pytest.param("python_cu13", id="cuda13", marks=pytest.mark.torch13),
    ],
)
def test_windows_are_read_in_both_passes(
    tmp_path: Path,
    workload_environment: dict[str, str],
    build: str,
    request: pytest.FixtureRequest,
) -> None:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    python = request.getfixturevalue(build)
    variables = {**os.environ, **workload_environment}
    subprocess.run(
        [*line, python, "-c", SCRIPT], cwd=tmp_path, env=variables, check=True, timeout=300
    )
    (capture,) = collect(tmp_path / "run").captures
    found = [problem for work in capture.definitions() if (problem := attention_problem(work))]
    windows = {(300, 20, False), (128, 0, False), (None, None, True)}
    for backward in (False, True):
        seen = {(p.left, p.right, p.causal) for p in found if p.backward == backward}
        assert seen == windows
    assert {(p.queries, p.keys, p.heads) for p in found} == {(LENGTH, LENGTH, 4)}
