"""Collectives over nodes, rank by rank."""

from itertools import pairwise

import pytest

from maya.estimate.collectives import CollectiveCall, CollectiveModel
from maya.estimate.collectives.network import Group, network_parameters, network_time_us
from maya.hardware import find_cluster, find_fabric

NDR, HDR, EFA = (find_fabric(name) for name in ("ib-ndr", "ib-hdr", "efa-3200"))
MIB = 1 << 20


def time_us(op, size, nodes, per_node=8, fabric=NDR, nvls=True):
    return network_time_us(fabric, op, size, Group(nodes, per_node, nvls))[0]


def test_a_ring_passes_every_rank_not_every_node():
    """Ten nodes of eight: 79 steps, most of them inside a node, dominate 32 MiB."""
    steps = network_parameters().protocols[1]
    least = 70 * steps.inside_us + 9 * steps.across_us
    for op in ("all_gather", "reduce_scatter"):
        assert time_us(op, 32 * MIB, 10) > least
        assert time_us(op, 32 * MIB, 10) > 1.8 * time_us(op, 32 * MIB, 2)


def test_small_reductions_double_from_node_to_node():
    times = [time_us("all_reduce", 1024, nodes) for nodes in (2, 4, 8, 16)]
    steps = [later - before for before, later in pairwise(times)]
    assert max(steps) < 1.5 * min(steps)
    assert 20 < times[0] < 45  # measured: 25 to 40 us


def test_large_messages_come_near_the_rate_of_the_nics():
    size = 1024 * MIB
    rate = 15 / 16 * size / time_us("all_gather", size, 2, fabric=HDR, nvls=False) * 1e6
    assert 0.8 * 200e9 < rate < 0.95 * 200e9  # measured: 177 GB/s of eight HDR adapters


def test_switches_that_reduce_cross_the_network_of_two_nodes_once():
    size = 1024 * MIB
    with_nvls, without = (time_us("all_reduce", size, 2, nvls=nvls) for nvls in (True, False))
    assert with_nvls < 0.9 * without
    assert with_nvls == pytest.approx(4470, rel=0.15)  # measured on two nodes of H100


def test_steps_over_efa_take_longer_than_over_infiniband():
    assert time_us("all_gather", MIB, 4, fabric=EFA) > time_us("all_gather", MIB, 4) + 100


def test_an_all_to_all_pays_for_every_peer():
    few, many = (time_us("alltoall", 1024, nodes) for nodes in (2, 8))
    assert many - few == pytest.approx(48 * network_parameters().peer_us, rel=0.01)


def test_time_grows_with_bytes_and_nodes():
    for op in ("all_reduce", "all_gather", "broadcast", "alltoall", "sendrecv"):
        sizes = [time_us(op, 4**power, 4) for power in range(2, 16)]
        assert sizes == sorted(sizes)
        nodes = [time_us(op, 256 * MIB, count) for count in (4, 8, 16)]
        assert nodes == sorted(nodes)


def test_the_model_of_a_cluster_uses_it():
    model = CollectiveModel(find_cluster("h100:8x2"))
    call = CollectiveCall("ncclAllGather", 2 * MIB, tuple(range(16)))
    answer = model.estimate(call)
    assert answer.over_network
    assert answer.algorithm.startswith("ring/")
    assert answer.duration_ns == pytest.approx(1e3 * time_us("all_gather", 32 * MIB, 2), rel=0.2)


def test_a_shared_network_costs_a_collective_what_its_mean_run_takes():
    """EFA, 256 MiB: 119 GB/s over four nodes on average (229 at best), 69 over eight."""
    for nodes, measured in ((4, 119), (8, 69)):
        ranks = 8 * nodes
        rate = (ranks - 1) / ranks * 256 * MIB / time_us("all_gather", 256 * MIB, nodes, fabric=EFA)
        assert rate * 1e-3 == pytest.approx(measured, rel=0.15)


def test_a_shared_network_is_less_certain():
    call = CollectiveCall("ncclAllGather", MIB, tuple(range(16)))
    shared = CollectiveModel(find_cluster("h100:8x2@efa-3200")).estimate(call)
    own = CollectiveModel(find_cluster("h100:8x2")).estimate(call)
    assert shared.uncertainty > own.uncertainty


def test_what_a_ring_pays_for_latency_grows_with_its_nodes():
    """A chunk crosses the network once for each node: two nodes pay half of what four do."""
    added = network_parameters().added_us["efa"]
    two, four, eight = (
        time_us("all_gather", MIB, nodes, fabric=EFA) - time_us("all_gather", MIB, nodes)
        for nodes in (2, 4, 8)
    )
    assert two == pytest.approx(2 * added, rel=0.1)
    assert (four / two, eight / two) == pytest.approx((2, 4), rel=0.1)


def test_a_network_of_one_kind_of_server_brings_that_servers_cpu():
    assert find_cluster("h100:8x2@efa-3200").host.id == "epyc-7r13"
    assert find_cluster("h100:8x2@ib-ndr").host == find_cluster("h100:8x2").host
