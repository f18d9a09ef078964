"""Clusters by name and from files."""

from pathlib import Path

import pytest

from maya.errors import MayaError
from maya.estimate.collectives import CollectiveCall, CollectiveModel
from maya.estimate.types import Source
from maya.hardware import find_cluster, list_gpus


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("name", "per_node", "nodes"), [("h100:8x8", 8, 8), ("a100:4", 4, 1), ("gb200:72x2", 72, 2)]
)
def test_name_says_gpu_and_shape(name: str, per_node: int, nodes: int) -> None:
    cluster = find_cluster(name)
    assert (cluster.per_node, cluster.nodes, cluster.gpus) == (per_node, nodes, per_node * nodes)


@pytest.mark.parametrize("gpu", list_gpus(), ids=lambda gpu: gpu.id)
def test_every_gpu_has_a_node_a_network_a_host_and_a_price(gpu: object) -> None:
    cluster = find_cluster(f"{gpu.id}:1x2")  # type: ignore[attr-defined]
    parts = (cluster.node, cluster.fabric, cluster.host, cluster.price)
    assert all(part is not None and part.source for part in parts)


def test_price_is_of_the_whole_cluster() -> None:
    one, all_of_them = find_cluster("h100:1"), find_cluster("h100:8x4")
    assert one.usd_per_hour
    assert all_of_them.usd_per_hour == pytest.approx(32 * one.usd_per_hour)


@pytest.mark.parametrize("name", ["h100:", "h100:0", "h100:8x0", ":8", "h100:8x", ""])
def test_names_that_are_no_cluster(name: str) -> None:
    with pytest.raises(MayaError):
        find_cluster(name)


def test_too_many_gpus_for_a_node_are_spread_in_the_hint() -> None:
    with pytest.raises(MayaError, match="at most 8") as caught:
        find_cluster("h100:20")
    assert "h100:8x3" in (caught.value.hint or "")


def test_file_changes_what_it_names(tmp_path: Path) -> None:
    cluster = find_cluster(
        write(
            tmp_path,
            "gpu: {base: h100, memory_bandwidth_bytes_per_s: 2.4e+12, power_limit_w: 500}\n"
            "per_node: 16\nnodes: 2\nfabric: {nic_bytes_per_s: 25.0e+9}\n",
        )
    )
    assert cluster.name == "mine"
    assert cluster.gpus == 32
    assert cluster.gpu.memory_bandwidth_bytes_per_s == 2.4e12
    assert cluster.gpu.sources["power_limit_w"] == "mine.yaml"
    assert cluster.fabric.nic_bytes_per_s == 25e9
    assert cluster.fabric.rails == 8


@pytest.mark.parametrize(
    ("node", "measured"),
    [
        ("{link: nvswitch}", False),
        ("{link: nvswitch, bandwidth_bytes_per_s: 150.0e+9}", False),
        ("{link: mesh}", True),
        ("{bandwidth_bytes_per_s: 100.0e+9}", True),
    ],
)
def test_another_link_than_the_usual_does_not_keep_what_was_measured_of_that(
    tmp_path: Path, node: str, measured: bool
) -> None:
    cluster = find_cluster(write(tmp_path, f"gpu: v100-32\nper_node: 8\nnode: {node}\n"))
    estimate = CollectiveModel(cluster).estimate(
        CollectiveCall("ncclAllReduce", 1 << 26, tuple(range(8)))
    )
    assert (cluster.node.id == "hgx-v100") is measured
    assert (estimate.source is Source.LEARNED) is measured


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu: h100\nper_node: 8\nwheels: 4\n", "line 3: unknown key 'wheels'"),
        ("gpu: h100\nnodes: 2\n", "missing key 'per_node'"),
        ("gpu: h100\nper_node: 8\nnode:\n  wings: 2\n", "line 4: unknown key 'node.wings'"),
        ("gpu: h100\nper_node: many\n", "line 2: per_node"),
        ("gpu: h100\nper_node: 8\nper_node: 4\n", "line 3: 'per_node' stands twice"),
        ("gpu: [h100\nper_node: 8\n", "line"),
        ("just words\n", "expected `key: value` lines"),
        ("gpu: {memory: 3}\nper_node: 8\n", "line 1: missing key 'gpu.base'"),
        ("per_node: 8\ngpu: {base: h100, memory: 3}\n", "line 2: unknown key 'memory'"),
        ("gpu: h100\nper_node: 8\nfabric:\n  nic_bytes_per_s: -1\n", "line 4"),
    ],
)
def test_mistakes_in_a_file_are_named_with_their_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(MayaError) as caught:
        find_cluster(write(tmp_path, text))
    assert message in caught.value.message


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match="cannot read"):
        find_cluster(str(tmp_path / "none.yaml"))


def test_ranks_fill_one_node_after_the_other() -> None:
    cluster = find_cluster("h100:4x2")
    assert [cluster.node_of(rank) for rank in (0, 3, 4, 7)] == [0, 0, 1, 1]


@pytest.mark.parametrize(("name", "same"), [("h100", "h100:1"), ("H100:8X4", "h100:8x4")])
def test_clusters_may_be_named_loosely(name: str, same: str) -> None:
    assert find_cluster(name) == find_cluster(same)
