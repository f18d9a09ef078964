"""Multi-tensor kernels are recorded with the tensors that they work on, not with stack remains."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from maya.trace import collect

SIZES = (132608, 7, 4096)
SCRIPT = f"""
import torch
parameters = [torch.nn.Parameter(torch.zeros(size, device="cuda")) for size in {SIZES}]
optimizer = torch.optim.AdamW(parameters, OPTION=True)
for _ in range(6):
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
"""
TENSOR_LIST = 1  # layout of a kernel's blob


@pytest.mark.parametrize("option", ["foreach", "fused"])
def test_lists_are_read_whatever_stands_beside_them(
    tmp_path: Path, workload_environment: dict[str, str], option: str
) -> None:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    code = SCRIPT.replace("OPTION", option)
    environment = {"PATH": "/usr/bin:/bin", **workload_environment}
    subprocess.run(
        [*line, sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True, timeout=300
    )
    (capture,) = collect(tmp_path / "run").captures
    lists = [
        definition
        for definition in capture.definitions()
        if "multi_tensor_apply_kernel" in definition.text("kernel") and definition.number("grid_x")
    ]
    assert {definition.number("layout") for definition in lists} == {TENSOR_LIST}
    found = {struct.unpack("<QQ", definition.blob) for definition in lists}
    whole, counters = (sum(SIZES), len(SIZES)), (len(SIZES), len(SIZES))
    assert whole in found
    assert found <= {whole, counters}  # the fused optimiser counts steps on the device
