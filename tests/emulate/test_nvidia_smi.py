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
        (["topo", "-m"], 0, ["GPU0\t X  \tNODE\t", "GPU1\tNODE\t X  \t", "SYS  = "]),
        (["topo"], 2, []),
        (["--nonsense"], 2, []),
    ],
    ids=["table", "list", "query", "one", "unknown", "clock", "topology", "no matrix", "wrong"],
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


def test_the_topology_of_a_node_with_nvlink_names_its_links(tmp_path: Path) -> None:
    options = ["--gpu", "h100", "--gpus", "2", "--no-torch-check", "-o", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "maya", "emulate", *options, "--", "sh", "-c", "nvidia-smi topo -m"],
        capture_output=True,
        text=True,
    )
    assert "GPU0\t X  \tNV18\t" in done.stdout
    assert "GPU1\tNV18\t X  \t" in done.stdout
