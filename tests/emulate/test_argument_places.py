"""Sizes are found in the arguments of both builds of PyTorch, which lay out some otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maya.estimate import default_chain
from maya.hardware import find_gpu
from maya.trace import collect
from maya.trace.format import Kind

SCRIPT = """
import torch
import torch.nn.functional as F
def zeros(*sizes):
    return torch.zeros(*sizes, device="cuda", requires_grad=True)
logits, labels = zeros(777, 1234), torch.zeros(777, dtype=torch.long, device="cuda")
F.nll_loss(logits, labels).backward()
F.nll_loss(logits, labels, reduction="none").sum().backward()
rows = zeros(333, 611)
torch.softmax(rows, 1).sum().backward()
torch.nn.LayerNorm(611, device="cuda")(rows).sum().backward()
torch.roll(rows, 3, 1)
torch.cat([rows, rows, rows])
few = torch.zeros(717, dtype=torch.long, device="cuda")
F.embedding(few, zeros(5003, 96)).sum().backward()
F.dropout(zeros(1000, 1000), 0.3)
images = zeros(2, 24, 31, 29)
with torch.backends.cudnn.flags(enabled=False):
    torch.nn.BatchNorm2d(24, device="cuda")(images).sum().backward()
    torch.nn.Conv2d(24, 24, 5, groups=24, padding=2, device="cuda")(images).sum().backward()
"""
ROWS, IMAGES = 333 * 611 * 4, 2 * 24 * 31 * 29 * 4
MOMENTS = {"cuda12": "group_norm_moments", "cuda13": "row_moments"}
MOVED = {
    "loss": 777 * 40,
    "loss_backward": 777 * 40,
    "loss_each": 777 * 40,
    "loss_each_backward": 777 * 40,
    "softmax_warp": 2 * ROWS,
    "softmax_warp_backward": 3 * ROWS,
    "layer_norm_backward": 3 * ROWS + 333 * 8 + 611 * 8,
    "norm_weights_backward": 2 * ROWS,
    "roll": 2 * ROWS,
    "concatenation": 6 * ROWS,
    "embedding_backward_features": 3 * 717 * 96 * 4,
    "dropout": 1000 * 1000 * (2 * 4 + 1),
    "batch_norm_backward": 5 * IMAGES,
    "depthwise_convolution": 2 * IMAGES,
}


@pytest.mark.parametrize(
    ("build", "version"),
    [
        pytest.param("python_cu12", "cuda12", id="cuda12"),
        pytest.param("python_cu13", "cuda13", id="cuda13", marks=pytest.mark.torch13),
    ],
)
def test_every_size_is_found(
    tmp_path: Path,
    workload_environment: dict[str, str],
    build: str,
    version: str,
    request: pytest.FixtureRequest,
) -> None:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    variables = {**os.environ, **workload_environment}
    subprocess.run(
        [*line, request.getfixturevalue(build), "-c", SCRIPT],
        cwd=tmp_path,
        env=variables,
        check=True,
        timeout=300,
    )
    (capture,) = collect(tmp_path / "run").captures
    kernels = [work for work in capture.definitions() if work.kind == Kind.KERNEL]
    chain, gpu = default_chain(), find_gpu("h100")
    found = {work.family.name: chain.estimate(work, gpu) for work in kernels}
    expected = {**MOVED, MOMENTS[version]: ROWS}
    assert {name: found[name].bytes for name in expected} == expected
    assert all(answer.understood for answer in found.values())
