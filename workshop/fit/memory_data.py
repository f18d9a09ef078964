"""Kernels bound by memory that NeuSight and vidur measured."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.cost import KernelRows
from maya.units import NS_PER_MS
from workshop.fit.dataset import find_tables, held_out, read_table

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
# Tensors of the operand's size that an operation reads and writes.
NEUSIGHT_TENSORS = {
    "add": 3, "mul": 3, "div": 3, "pow": 3, "addu": 2, "mulu": 2, "divu": 2, "powu": 2,
    "relu": 2, "gelu": 2, "tanh": 2, "softmax": 2, "ln": 2,
}  # fmt: skip
_SMALL_BYTES = 1e6


@dataclass(frozen=True, slots=True)
class Samples:
    """Measurements of one operation on one GPU."""

    operation: str
    kind: npt.NDArray[np.str_]  # class of kernels, a row each
    bytes: Array
    rows: KernelRows | None  # of kernels that reduce rows
    measured_ns: Array
    held_out: Flags
    host_ns: float = 0.0  # what the harness shows at least: its loop is bound by the host

    def where(self, chosen: Flags) -> "Samples":
        """Some of the rows."""
        return Samples(
            self.operation, self.kind[chosen], self.bytes[chosen], _some(self.rows, chosen),
            self.measured_ns[chosen], self.held_out[chosen], self.host_ns,
        )  # fmt: skip


def _some(rows: KernelRows | None, chosen: Flags) -> KernelRows | None:
    if rows is None:
        return None
    again = rows.again[chosen] if isinstance(rows.again, np.ndarray) else rows.again
    return replace(
        rows, count=rows.count[chosen], bytes=rows.bytes[chosen], again=again,
        trips=rows.trips[chosen],
    )  # fmt: skip


def neusight(device: str) -> list[Samples]:
    """FP32 operations of PyTorch, timed with events around a loop of launches."""
    return [_neusight(device, op, count) for op, count in NEUSIGHT_TENSORS.items()]


def _neusight(device: str, operation: str, tensors: int) -> Samples:
    table = read_table("neusight", "train", "collect", operation, "p2.1.0", f"{device}.csv.gz")
    elements = (table["B"] * table["H"]).to_numpy().astype(np.float64)
    measured = table["Latency"].to_numpy() * NS_PER_MS
    size = elements * 4.0 * tensors
    kernel = table["Kernel Name"]
    warp = kernel.str.contains("softmax_warp").to_numpy()
    shared = kernel.str.contains("Smem").to_numpy()
    names: dict[str, Any] = {
        "softmax": np.select([warp, shared], ["softmax_warp", "softmax_shared"], "softmax_block"),
        "ln": "layer_norm",
    }
    kind = np.full(elements.shape, operation, dtype="U16")
    kind[:] = names.get(operation, operation)
    count, row_bytes = (table[name].to_numpy().astype(np.float64) for name in ("B", "H"))
    row_bytes *= 4.0
    rows: KernelRows | None = None
    if operation == "softmax":
        again = np.where(shared, 0.0, 2.0)
        trips = (1 + again) * row_bytes / (16 * 1024)
        rows = KernelRows(np.where(warp, 0, count), row_bytes, 1024, again, trips)
    elif operation == "ln":
        rows = KernelRows(count, row_bytes, 128, 1.0, 2 * row_bytes / (16 * 128))
    unseen = held_out(table, "B", "H")
    small = (size < _SMALL_BYTES) & ~unseen
    host = float(np.median(measured[small])) if small.any() else 0.0
    return Samples(operation, kind, size, rows, measured, unseen, host)


def vidur(device: str) -> list[Samples]:
    """fp16 kernels of vLLM, by a profiler, in whole microseconds."""
    names = find_tables("vidur", "compute", device, "*", "mlp.csv.gz")
    tables = [read_table(*name) for name in names]
    sizes = {
        "add": _hidden * 3,
        "input_layernorm": _hidden * 2,
        "post_attention_layernorm": _hidden * 2,
        "mlp_act": pl.col("num_tokens") * pl.col("n_expanded_embd") / _TP * (4 + 2 * _GATED),
        "attn_rope": _hidden * 2 * (1 + pl.col("n_kv_head") / pl.col("n_head")) / _TP,
        "emb": _hidden * 2,
    }
    return [_vidur(tables, name, expression) for name, expression in sizes.items()]


_TP = pl.col("num_tensor_parallel_workers")
_GATED = pl.col("use_gated_mlp").cast(pl.Int64)
_hidden = pl.col("num_tokens") * pl.col("n_embd") * 2


def _vidur(tables: list[pl.DataFrame], name: str, expression: pl.Expr) -> Samples:
    column = f"time_stats.{name}.median"
    parts = [
        table.filter(pl.col(column) > 0).select(
            "num_tokens",
            "n_embd",
            _TP,
            bytes=expression.cast(pl.Float64),
            ns=pl.col(column) * NS_PER_MS,
        )
        for table in tables
        if column in table.columns
    ]
    joined = pl.concat(parts)
    unseen = held_out(joined, "num_tokens", "n_embd", "num_tensor_parallel_workers")
    kind = np.full(unseen.shape, f"vllm_{name}")
    return Samples(name, kind, joined["bytes"].to_numpy(), None, joined["ns"].to_numpy(), unseen)
