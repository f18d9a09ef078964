"""Reads published measurements of collectives; sizes as nccl-tests counts them."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from workshop.fit.dataset import has_table, read_table

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
}  # not a40_pairwise_nvlink: its 4 GB/s are not of a bridge, nor of PCIe between cards


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


def read_samples(*, several_nodes: bool = False) -> list[Sample]:
    """Measurements in one node, or over two."""
    every = [*_nccl_tests(), *_aiconfigurator(), *_vtrain(), *_vidur()]
    return [s for s in every if (s.nodes > 1) == several_nodes and s.time_us > 0 and s.size > 0]


def _nccl_tests() -> Iterator[Sample]:
    keys = ("cluster", "nodes", "ranks", "test", "size_bytes")
    rows = read_table("nccl_tests_cluster_h100", "nccl_tests_h100.csv.gz")
    table = rows.group_by(keys).agg(pl.col("oop_time_us").median()).sort(keys)
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


def _aiconfigurator() -> Iterator[Sample]:
    for system, (node, versions) in _SYSTEMS.items():
        for version in versions:
            name = f"comm__nccl_{version}__nccl_perf.csv.gz"
            for row in read_table("aiconfigurator", system, name).iter_rows(named=True):
                element = 2 if row["nccl_dtype"] == "half" else 1
                size = row["message_size"] * element
                yield Sample(node, row["op_name"], row["num_gpus"], size, row["latency"] * 1e3)


def _vtrain() -> Iterator[Sample]:
    for gpu, node in (("v100", "hgx-v100"),):
        for ranks in range(2, 9):
            rows = read_table("vtrain", f"{gpu}_allreduce_gpu{ranks}.csv.gz").rows()
            for row in rows[::4]:
                yield Sample(node, "all_reduce", ranks, row[0], row[3] / 1e3)


def _vidur() -> Iterator[Sample]:
    for name, node in _VIDUR.items():
        for op in ("all_reduce", "send_recv"):
            parts = ("vidur", "network", name, f"{op}.csv.gz")
            copied = name == "h100_pairwise_nvlink" and op == "send_recv"  # of the A100's
            if not has_table(*parts) or copied:
                continue
            yield from _vidur_rows(read_table(*parts), node, op)


def _vidur_rows(rows: pl.DataFrame, node: str, op: str) -> Iterator[Sample]:
    time = f"time_stats.{op}.median"
    keys = ("num_workers", "devices_per_node", "size")
    table = rows.group_by(keys).agg(pl.col(time).median()).sort(keys)
    for row in table.iter_rows(named=True):
        if row["num_workers"] == row["devices_per_node"] == 2:
            name = "sendrecv" if op == "send_recv" else op
            yield Sample(node, name, 2, row["size"], row[time] * 1e3)
