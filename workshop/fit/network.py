"""Collectives over nodes: latencies of a step and shares of the NICs.

Fitted to nccl-tests between 2 and 4 nodes of A100 and H100 (without a licence, so in no clone) and
to the best of Hugging Face's bandwidths over up to 64 nodes of H100 with EFA. Slingshot is left
out: its steps of some messages take ten times as long as those of others. What a step over EFA adds
is then fitted alone to the mean of these runs: jobs share that network as most of the runs did.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.estimate.collectives.formula import link_bytes
from maya.estimate.collectives.network import Group, as_parameters, network_time_us
from maya.hardware import find_fabric
from workshop.fit.dataset import read_table
from workshop.fit.errors import Accuracy, accuracy
from workshop.measurements.store import measurements
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_RAW = "nccl_multi_node"
# Where a system's name begins: its network, GPUs a node, and whether its switches reduce (NVLS).
_SYSTEMS = {
    "sophia": ("ib-hdr", 8, False),
    "nccl-tests issue 309 comment: Dell": ("ib-ndr", 8, True),
    "nccl-tests issue 309 comment: VMs": ("ib-ndr", 8, True),
    "OCI BM.GPU4.8": ("roce-200", 8, False),
}
_EFA = "efa-3200"
_CHART_BYTES = 256 << 20
_CHART = "Communication Bandwidth by Number of Nodes (size=256MB)"
_CHART_OPS = {"AllReduce": "all_reduce", "AllGather": "all_gather"}
_LAST_POWER = 6  # of two, of nodes
_FLAT = ("tree_share", "nvls_share", "nvls_start_us", "fill", "efa_us")
# NCCL's tuner: start, steps inside and across, share, for LL, LL128 and Simple; then _FLAT.
_START = (
    *(6.6, 0.6, 2.7, 0.3),
    *(14.0, 1.9, 4.0, 0.8),
    *(8.4, 3.4, 14.0, 0.9),
    *(0.9, 0.75, 30.0, 1.0, 15.0),
)
_HIGHEST = {3: 0.5, 7: 0.95, 11: 0.96, 12: 1.0, 13: 0.95}  # shares
_PRIOR = 0.4
_EFA_STEPS_US = range(20, 1000, 10)
LARGE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class NetworkSample:
    """One measurement over nodes."""

    fabric: str
    op: str
    group: Group
    size: int
    time_us: float

    @property
    def kept(self) -> bool:
        """A fifth of the sizes, others for each number of nodes."""
        return (round(math.log2(self.size)) + self.group.nodes) % 5 == 0


def samples() -> list[NetworkSample]:
    """Rings and trees; all to all is fitted apart."""
    return [*_tests(("all_reduce", "all_gather")), *_chart()]


def _tests(ops: tuple[str, ...]) -> Iterator[NetworkSample]:
    keys = ("system", "nodes", "op", "bytes")
    for name in ("rows.csv.gz", "all_reduce_h100_a100.csv"):
        table = read_table(_RAW, name).filter((pl.col("bytes") > 0) & pl.col("op").is_in(ops))
        rows = table.group_by(keys).agg(pl.col("time_us").median()).sort(keys)
        for system, nodes, op, size, time_us in rows.iter_rows():
            known = next((_SYSTEMS[start] for start in _SYSTEMS if system.startswith(start)), None)
            if known:
                fabric, per_node, nvls = known
                yield NetworkSample(fabric, op, Group(nodes, per_node, nvls), size, time_us)


def _chart() -> Iterator[NetworkSample]:
    """The best run of each number of nodes: others shared the network."""
    best: dict[float, float] = {}
    for trace, power, rate in _chart_rows():
        if trace is None:  # the rims of a band, drawn before its middle
            best[power] = max(best.get(power, 0.0), rate)
            continue
        if trace in _CHART_OPS and power > 0:
            yield _of_chart(trace, power, best[power])
        if power == _LAST_POWER:
            best = {}


def mean_samples() -> list[NetworkSample]:
    """The mean over runs of each number of nodes."""
    return [
        _of_chart(trace, power, rate)
        for trace, power, rate in _chart_rows()
        if trace in _CHART_OPS and power > 0
    ]


def _of_chart(trace: str, power: float, rate: float) -> NetworkSample:
    op, group = _CHART_OPS[trace], Group(round(2**power), 8, True)
    time_us = link_bytes(op, _CHART_BYTES, group.ranks) / rate * 1e-3
    return NetworkSample(_EFA, op, group, _CHART_BYTES, time_us)


def _chart_rows() -> Iterator[tuple[str | None, float, float]]:
    rows = measurements().table("ultrascale_charts").filter(pl.col("title") == _CHART)
    for trace, power, rate in rows.select("trace", "x", "y").iter_rows():
        yield trace, float(power), float(rate)


def _parameters(point: Array, digits: int = 4) -> dict[str, Any]:
    """As network.json has them."""
    values = [float(f"{value:.{digits}g}") for value in np.exp(point)]
    names = ("LL", "LL128", "Simple")
    found: dict[str, Any] = {
        "protocols": [[name, *values[4 * i : 4 * i + 4]] for i, name in enumerate(names)]
    }
    flat = dict(zip(_FLAT, values[12:], strict=True))
    found["added_us"] = {"efa": flat.pop("efa_us")}
    return found | flat | {"spread_share": 0.91, "spread_start_us": 8.0, "peer_us": 3.4}


def fit(rows: Sequence[NetworkSample]) -> dict[str, Any]:
    """Near NCCL's own constants unless the measurements say otherwise."""
    from scipy.optimize import least_squares

    first = np.log(_START)
    high = first + 2.5
    for index, value in _HIGHEST.items():
        high[index] = math.log(value)
    measured = np.log([row.time_us for row in rows])

    def residuals(point: Array) -> Array:
        error = np.log(predict(rows, _parameters(point, digits=12))) - measured
        return np.concatenate([error, _PRIOR * (point - first)])

    found = least_squares(residuals, first, bounds=(first - 2.5, high), loss="soft_l1", f_scale=0.1)
    return _parameters(found.x)


def with_shared_efa(values: dict[str, Any], rows: Sequence[NetworkSample]) -> dict[str, Any]:
    """The same, with the step over EFA whose mean error on these rows is least."""
    measured = np.log([row.time_us for row in rows])
    candidates = [values | {"added_us": {"efa": float(added)}} for added in _EFA_STEPS_US]
    return min(
        candidates, key=lambda one: float(np.abs(np.log(predict(rows, one)) - measured).mean())
    )


def predict(rows: Sequence[NetworkSample], values: dict[str, Any]) -> Array:
    """Times in us."""
    fitted = as_parameters(values)
    return np.array([
        network_time_us(find_fabric(row.fabric), row.op, row.size, row.group, fitted=fitted)[0]
        for row in rows
    ])  # fmt: skip


def fit_all() -> None:
    """Into network.json."""
    alone = fit([row for row in samples() if not row.kept])
    values = with_shared_efa(alone, mean_samples())
    path = PARAMETERS / "network.json"
    path.write_text(json.dumps(values, indent=1) + "\n", "utf-8")
    for name, found in evaluate(alone).items():
        print(f"{name}: {found.as_row()}", flush=True)
    shared = mean_samples()
    times = np.array([row.time_us for row in shared])
    print(f"EFA in use (fitted): {accuracy(predict(shared, values), times).as_row()}")


def evaluate(values: dict[str, Any]) -> dict[str, Accuracy]:
    """Both sides, above and below 1 MiB."""
    result = {}
    for kept in (False, True):
        for large in (True, False):
            chosen = [
                row for row in samples() if row.kept == kept and (row.size > LARGE_BYTES) == large
            ]
            label = f"{'kept' if kept else 'fitted'}, {'above' if large else 'up to'} 1 MiB"
            times = np.array([row.time_us for row in chosen])
            result[label] = accuracy(predict(chosen, values), times)
    spread = list(_tests(("alltoall",)))
    times = np.array([row.time_us for row in spread])
    return result | {"all to all": accuracy(predict(spread, values), times)}
