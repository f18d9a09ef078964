"""Random state and stack remains do not tell launches apart; numbers of elements do."""

import os
import struct
import subprocess
import sys
from pathlib import Path

from maya.trace import collect

SIZES = (1 << 24, 1 << 26)  # both fill the device: the grids are equal
LAUNCHES = 20  # more than variants of one problem are kept
SCRIPT = f"""
import torch
tensors = [torch.empty(size, device="cuda") for size in {SIZES}]
for _ in range({LAUNCHES}):
    for tensor in tensors:
        torch.nn.functional.dropout(tensor, 0.1)
        tensor.bernoulli_(0.5)
"""
TENSOR_INFO_BYTES = 216


def test_random_kernels_are_told_apart_by_their_elements_alone(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    environment = {**os.environ, **workload_environment}
    subprocess.run(
        [*line, sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        check=True,
        timeout=300,
    )
    (capture,) = collect(tmp_path / "run").captures
    launches = [made for made in capture.definitions() if made.number("grid_x")]
    dropouts = [made.blob for made in launches if "fused_dropout" in made.text("kernel")]
    counts = [struct.unpack_from("<I", blob, 3 * TENSOR_INFO_BYTES)[0] for blob in dropouts]
    assert sorted(counts) == list(SIZES)
    others = [made.blob for made in launches if "distribution_" in made.text("kernel")]
    assert sorted(struct.unpack_from("<q", blob)[0] for blob in others) == list(SIZES)
