"""Reads published measurements of collectives; sizes as nccl-tests counts them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NCCL_TESTS = {
    "all_reduce_perf": "all_reduce",
    "all_gather_perf": "all_gather",
    "reduce_scatter_perf": "reduce_scatter",
    "alltoall_perf": "alltoall",
    "sendrecv_perf": "sendrecv",
}
_SYSTEMS = {
    "a100_sxm": ("hgx-a100", ("2.27.3",)),
    "h100_sxm": ("hgx-h100", ("2.29.2",)),
    "h200_sxm": ("hgx-h200", ("2.29.2",)),
    "b200_sxm": ("hgx-b200", ("2.29.2",)),
}
_VIDUR = {
    "a100_pairwise_nvlink": "pairs-a100",
    "h100_pairwise_nvlink": "pairs-h100",
    "a40_pairwise_nvlink": "pairs-a40",
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    node: str
    op: str
    ranks: int
    size: float
    time_us: float
    nodes: int = 1
    cluster: str = ""


def read_samples(root: Path, *, several_nodes: bool = False) -> list[Sample]:
    """Measurements in one node, or over two."""
    every = [*_nccl_tests(root), *_aiconfigurator(root), *_vtrain(root), *_vidur(root)]
    return [s for s in every if (s.nodes > 1) == several_nodes and s.time_us > 0 and s.size > 0]


def _read(path: Path) -> Any:
    import polars as pl

    return pl.read_csv(path)


def _nccl_tests(root: Path) -> Iterator[Sample]:
    path = root / "nccl_tests_cluster_h100" / "nccl_tests_h100.csv.gz"
    keys = ("cluster", "nodes", "ranks", "test", "size_bytes")
    import polars as pl

    table = _read(path).group_by(keys).agg(pl.col("oop_time_us").median()).sort(keys)
    for row in table.iter_rows(named=True):
        yield Sample(
            "hgx-h100",
            _NCCL_TESTS[row["test"]],
            row["ranks"],
            row["size_bytes"],
            row["oop_time_us"],
            row["nodes"],
            row["cluster"],
        )


def _aiconfigurator(root: Path) -> Iterator[Sample]:
    for system, (node, versions) in _SYSTEMS.items():
        for version in versions:
            path = root / "aiconfigurator" / system / f"comm__nccl_{version}__nccl_perf.csv.gz"
            for row in _read(path).iter_rows(named=True):
                element = 2 if row["nccl_dtype"] == "half" else 1
                size = row["message_size"] * element
                yield Sample(node, row["op_name"], row["num_gpus"], size, row["latency"] * 1e3)


def _vtrain(root: Path) -> Iterator[Sample]:
    for gpu, node in (("v100", "hgx-v100"),):
        for ranks in range(2, 9):
            path = root / "vtrain" / f"{gpu}_allreduce_gpu{ranks}.csv.gz"
            for row in _read(path).rows()[::4]:
                yield Sample(node, "all_reduce", ranks, row[0], row[3] / 1e3)


def _vidur(root: Path) -> Iterator[Sample]:
    for name, node in _VIDUR.items():
        for op in ("all_reduce", "send_recv"):
            path = root / "vidur" / "network" / name / f"{op}.csv.gz"
            copied = name == "h100_pairwise_nvlink" and op == "send_recv"  # of the A100's
            if not path.exists() or copied:
                continue
            yield from _vidur_rows(path, node, op)


def _vidur_rows(path: Path, node: str, op: str) -> Iterator[Sample]:
    import polars as pl

    time = f"time_stats.{op}.median"
    keys = ("num_workers", "devices_per_node", "size")
    table = _read(path).group_by(keys).agg(pl.col(time).median()).sort(keys)
    for row in table.iter_rows(named=True):
        if row["num_workers"] == row["devices_per_node"] == 2:
            name = "sendrecv" if op == "send_recv" else op
            yield Sample(node, name, 2, row["size"], row[time] * 1e3)
