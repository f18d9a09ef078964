"""How much of a message NCCL holds, by what joins the two GPUs."""

import pytest

from maya.estimate.collectives import buffered_bytes
from maya.hardware import find_cluster

MIB = 1 << 20


@pytest.mark.parametrize(
    ("cluster", "members", "expected_mib"),
    [
        ("h100:8", (0, 1), 128),  # 18 links: 32 channels of 4 MiB
        ("h100:8", tuple(range(8)), 128),
        ("v100-32:8", (0, 1), 64),  # 6 links: 16 channels
        ("a100-pcie-80:8", (0, 1), 128),  # a bridge
        ("a100-pcie-80:8", (0, 2), 2),  # PCIe: 2 channels of 1 MiB
        ("l40s:8", (0, 1), 2),
        ("h100:8x2", (0, 8), 4),  # 50 GB/s: 4 channels of 1 MiB
        ("h100:8x2", tuple(range(16)), 4),  # chunks are those of the slowest pair
        ("a100:8x2", (0, 8), 2),
    ],
)
def test_buffers_by_link(cluster: str, members: tuple[int, ...], expected_mib: int) -> None:
    assert buffered_bytes(find_cluster(cluster), members) == expected_mib * MIB
