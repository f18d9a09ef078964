"""Clusters changed one number at a time: the answer must move the way hardware does."""

from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import Script

from maya.analyze import Options, predict
from maya.hardware import Cluster, find_cluster
from maya.trace import Capture

LAYERS, WIDTH, GLOBAL_ROWS, STEPS = 8, 4096, 1 << 18, 2
NO_HOST = Options(host_scale=0.0)
RATES = [
    ("gpu", "memory_bandwidth_bytes_per_s"),
    ("node", "bandwidth_bytes_per_s"),
    ("node", "pcie_bytes_per_s"),
    ("fabric", "nic_bytes_per_s"),
]


def data_parallel(directory: Path, world: int) -> list[Capture]:
    """Forward and backward products over a share of the batch, then a reduction of all weights."""
    directory.mkdir(exist_ok=True)
    return [_rank(directory, rank, world) for rank in range(world)]


def _rank(directory: Path, rank: int, world: int) -> Capture:
    script = Script(rank=rank, world=world)
    problem = {"m": WIDTH, "n": GLOBAL_ROWS // world, "k": WIDTH, "transa": 1, "a_type": 14}
    gemm = script.define("cublasLtMatmul", 2, **problem, d_type=14, compute_type=68)
    members = ",".join(map(str, range(world)))
    comm = script.define("comm", 21, comm=1, rank=rank, nranks=world, members=members)
    shape = {"count": LAYERS * WIDTH * WIDTH, "datatype": 9, "rank": rank, "nranks": world}
    reduce = script.define("ncclAllReduce", 12, comm=1, **shape)
    upload = script.define("memcpy", 3, bytes=64 << 20, direction=1, **{"async": 1}, pageable=0)
    script.call(comm, a=77)
    for piece in range(STEPS + 2):
        script.call(upload, stream=1)
        if piece:
            script.call(script.boundary, a=piece, cpu_ns=0)
        for _ in range(3 * LAYERS):
            script.call(gemm, stream=1)
        if world > 1:
            script.call(reduce, stream=1, a=piece)
    script.call(upload, stream=1)
    script.call(script.boundary, a=STEPS + 2, cpu_ns=0)
    script.steady(STEPS + 2, STEPS)
    return script.save(directory)


def step_ns(captures: list[Capture], cluster: Cluster) -> float:
    return predict(run_of(captures), cluster, NO_HOST).step_ns


def doubled(cluster: Cluster, part: str, rate: str) -> Cluster:
    old = getattr(cluster, part)
    new = old.model_copy(update={rate: 2 * getattr(old, rate)})
    return cluster.model_copy(update={part: new})


@pytest.mark.parametrize(("part", "rate"), RATES)
@pytest.mark.parametrize("name", ["h100:8", "h100:4x2", "a100:8", "a40:8", "v100-32:4x2"])
def test_twice_the_bandwidth_never_slows_a_step(
    tmp_path: Path, name: str, part: str, rate: str
) -> None:
    captures, cluster = data_parallel(tmp_path, 8), find_cluster(name)
    assert step_ns(captures, doubled(cluster, part, rate)) <= step_ns(captures, cluster)


def test_bandwidth_that_is_used_makes_the_step_faster(tmp_path: Path) -> None:
    captures = data_parallel(tmp_path, 8)
    inside, across = find_cluster("h100:8"), find_cluster("h100:4x2")
    for cluster, part, rate in ((inside, *RATES[1]), (across, *RATES[3])):
        assert step_ns(captures, doubled(cluster, part, rate)) < 0.99 * step_ns(captures, cluster)


def test_newer_gpus_are_faster_on_the_same_run(tmp_path: Path) -> None:
    captures = data_parallel(tmp_path, 8)
    names = ("v100-32:8", "a100:8", "h100:8", "b200:8")
    times = [step_ns(captures, find_cluster(name)) for name in names]
    assert times == sorted(times, reverse=True)
    assert times[1] > 1.5 * times[2]


def test_more_nodes_with_the_same_batch_scale_as_expected(tmp_path: Path) -> None:
    """Compute falls as 1/n, the reduction does not: faster, but ever less so."""
    nodes = (1, 2, 4, 8)
    times = [
        step_ns(data_parallel(tmp_path / str(n), 4 * n), find_cluster(f"h100:4x{n}")) for n in nodes
    ]
    assert times == sorted(times, reverse=True)
    speedups = [times[0] / time for time in times]
    efficiencies = [speedup / n for speedup, n in zip(speedups, nodes, strict=True)]
    assert efficiencies == sorted(efficiencies, reverse=True)
    assert efficiencies[-1] < 0.95
    assert speedups[-1] > 2


def test_work_without_communication_scales_with_the_gpus(tmp_path: Path) -> None:
    alone = step_ns(data_parallel(tmp_path, 1), find_cluster("h100:1"))
    shared = predict(run_of(data_parallel(tmp_path / "8", 8)), find_cluster("h100:8"), NO_HOST)
    compute_ns = 1e6 * shared.ranks[0].compute_ms
    assert alone / compute_ns == pytest.approx(8, rel=0.1)
