"""Multi-tensor kernels are recorded with the tensors that they work on, not with stack remains."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from maya.trace import Definition, collect

SIZES = (132608, 7, 4096)
SCRIPT = """
import torch
parameters = [torch.nn.Parameter(torch.zeros(size, device="cuda")) for size in SIZES]
optimizer = torch.optim.AdamW(parameters, OPTION=True)
for _ in range(6):
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
"""
TENSOR_LIST = 1  # layout of a kernel's blob
BUILDS = [
    pytest.param("python_cu12", id="cuda12"),
    pytest.param("python_cu13", id="cuda13", marks=pytest.mark.torch13),
]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("option", ["foreach", "fused"])
def test_lists_are_read_whatever_stands_beside_them(
    tmp_path: Path,
    workload_environment: dict[str, str],
    option: str,
    build: str,
    request: pytest.FixtureRequest,
) -> None:
    python = request.getfixturevalue(build)
    lists = _lists(tmp_path, workload_environment, python, option, f"SIZES = {SIZES}")
    whole, counters = (sum(SIZES), len(SIZES)), (len(SIZES), len(SIZES))
    found = {_digest(definition) for definition in lists}
    assert whole in found
    assert found <= {whole, counters}  # the fused optimiser counts steps on the device


@pytest.mark.parametrize("build", BUILDS)
def test_a_list_longer_than_a_launch_holds_is_read_piece_by_piece(
    tmp_path: Path,
    workload_environment: dict[str, str],
    build: str,
    request: pytest.FixtureRequest,
) -> None:
    python = request.getfixturevalue(build)
    lists = _lists(tmp_path, workload_environment, python, "fused", "SIZES = [1024] * 600")
    fused = {_digest(found) for found in lists if "FusedAdam" in found.text("kernel")}
    # As many tensors as the metadata of four lists holds, and the rest of 600.
    most = 36 if build == "python_cu12" else 252
    assert fused == {(1024 * count, count) for count in (most, 600 % most)}


def _lists(
    directory: Path, environment: dict[str, str], python: Path, option: str, sizes: str
) -> list[Definition]:
    """Every multi-tensor launch of the script; all must have been understood."""
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    code = f"{sizes}\n{SCRIPT.replace('OPTION', option)}"
    variables = {**os.environ, **environment}
    subprocess.run(
        [*line, python, "-c", code], cwd=directory, env=variables, check=True, timeout=300
    )
    (capture,) = collect(directory / "run").captures
    lists = [
        definition
        for definition in capture.definitions()
        if "multi_tensor_apply_kernel" in definition.text("kernel") and definition.number("grid_x")
    ]
    assert {definition.number("layout") for definition in lists} == {TENSOR_LIST}
    return lists


def _digest(definition: Definition) -> tuple[int, int]:
    elements, tensors = struct.unpack("<QQ", definition.blob)
    return elements, tensors
