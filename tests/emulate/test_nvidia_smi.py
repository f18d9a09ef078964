"""Programs that ask nvidia-smi see the emulated GPUs."""

import subprocess
import sys
from pathlib import Path

import pytest

QUERY = "--query-gpu=index,name,memory.total,compute_cap"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 0, ["NVIDIA L4"]),
        (["-L"], 0, ["GPU 0: NVIDIA L4 (UUID: GPU-", "GPU 1: NVIDIA L4 (UUID: GPU-"]),
        (
            [QUERY, "--format=csv"],
            0,
            ["index, name, memory.total [MiB], compute_cap\n", "1, NVIDIA L4, ", " MiB, 8.9\n"],
        ),
        ([QUERY, "--format=csv,noheader,nounits", "-i", "1"], 0, ["1, NVIDIA L4, 2", ", 8.9\n"]),
        (["--query-gpu=name,nonsense"], 0, ["name, nonsense\nNVIDIA L4, [N/A]\n"]),
        # as torch.compile asks
        (
            ["-i", "0", "--query-gpu=clocks.max.sm", "--format=csv,noheader,nounits"],
            0,
            ["2040\n"],
        ),
        (["--nonsense"], 2, []),
    ],
    ids=["table", "list", "query", "one", "unknown", "clock", "wrong"],
)
def test_nvidia_smi_tells_of_the_emulated_gpus(
    arguments: list[str], code: int, said: list[str], tmp_path: Path
) -> None:
    options = ["--gpu", "l4", "--gpus", "2", "--no-torch-check", "-o", str(tmp_path)]
    words = ["sh", "-c", 'nvidia-smi "$@"', "sh", *arguments]
    done = subprocess.run(
        [sys.executable, "-m", "maya", "emulate", *options, "--", *words],
        capture_output=True,
        text=True,
    )
    assert done.returncode == (2 if code else 0), done.stderr
    for text in said:
        assert text in done.stdout
