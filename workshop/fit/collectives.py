"""Fits the protocols' constants to public measurements.

The measurements are those of nccl_tests_cluster_h100, aiconfigurator, vtrain and vidur. A fifth of
the sizes is kept from the fit; the printed errors are of those.
"""

import json
import math
from collections import defaultdict
from typing import Any

import numpy as np

from maya.estimate.collectives.formula import Protocol, link_bytes
from maya.estimate.collectives.network import PAIR, Group, network_time_us
from maya.estimate.collectives.node import NodeModel
from maya.hardware import find_fabric, find_node
from workshop.fit.collectives_data import Sample, read_samples
from workshop.paths import PARAMETERS

PROTOCOLS = ("LL", "LL128", "Simple")
_FIRST = ((6.0, 0.2, 0.01), (9.0, 0.6, 0.1), (16.0, 0.85, 0.5))
_NVLS = (20.0, 1.1, 0.5)
NVLS_RANKS = 8
LARGE_BYTES = 1 << 20


def fit(samples: list[Sample], *, nvls: bool) -> list[Protocol]:
    """The best fit over where the tuner leaves LL and LL128."""
    names = [*PROTOCOLS, *(["NVLS"] if nvls else [])]
    moved = np.array([_transfer_us(sample) for sample in samples])
    seen = np.log([s.time_us for s in samples])
    large = np.unique(moved[[s.size > LARGE_BYTES for s in samples]])
    limits = [np.inf, *(large[: len(large) // 2] * 1.01 if len(large) < 40 else ())]
    best = min((_fit(names, moved, seen, limit) for limit in limits), key=lambda found: found[0])
    return best[1]


def _fit(names: list[str], moved: Any, seen: Any, limit: float) -> tuple[float, list[Protocol]]:
    """Least squares of logarithms: the relative error counts."""
    from scipy.optimize import least_squares

    first = np.log(np.array([*_FIRST, *([_NVLS] if "NVLS" in names else [])]))
    small = moved <= limit

    def residuals(x: Any) -> Any:
        times = []
        for name, (start, efficiency, fill) in zip(names, np.exp(x.reshape(-1, 3)), strict=True):
            pure = moved / efficiency
            time = start + pure + fill * np.sqrt(pure)
            times.append(np.where(small, time, np.inf) if name.startswith("LL") else time)
        return np.log(np.min(times, axis=0)) - seen

    found = least_squares(residuals, first.ravel(), loss="soft_l1", f_scale=0.05, max_nfev=300)
    values = np.exp(found.x.reshape(-1, 3)).tolist()
    limits = [limit if name.startswith("LL") else np.inf for name in names]
    # The fit does not know which protocol is which; the better they use the link, the later.
    ring = sorted(zip(values[:3], limits[:3], strict=True), key=lambda row: row[0][1])
    rows = [*ring, *zip(values[3:], limits[3:], strict=True)]
    protocols = [
        Protocol(name, start, efficiency, fill, upper)
        for name, ((start, efficiency, fill), upper) in zip(names, rows, strict=True)
    ]
    # A limit is one constant more: it must earn its place.
    return float(found.cost) * (1.0 if limit == np.inf else 1.1), protocols


def _transfer_us(sample: Sample) -> float:
    link = find_node(sample.node).bandwidth_bytes_per_s
    return link_bytes(sample.op, sample.size, sample.ranks) / link * 1e6


def held_out(sample: Sample) -> bool:
    """A fifth of the sizes, others for each number of ranks."""
    return (round(8 * math.log2(sample.size)) // 8 + sample.ranks) % 5 == 0


def fit_all() -> None:
    """Fit everything, print the errors, and write collectives.json."""
    groups: dict[tuple[str, str], dict[int, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in read_samples():
        groups[sample.node, sample.op][sample.ranks].append(sample)
    fitted: dict[str, Any] = defaultdict(lambda: defaultdict(dict))
    every: list[float] = []
    print("node         operation        fit   kept  median    p90  (kept sizes above 1 MiB)")
    for (node, op), by_ranks in sorted(groups.items()):
        errors, counts = [], [0, 0]
        for ranks, samples in sorted(by_ranks.items()):
            used = [s for s in samples if not held_out(s)]
            kept = [s for s in samples if held_out(s) and s.size > LARGE_BYTES]
            nvls = op == "all_reduce" and find_node(node).nvls and ranks >= NVLS_RANKS
            protocols = fit(used, nvls=nvls)
            errors += [_error(protocols, sample) for sample in kept]
            counts = [counts[0] + len(used), counts[1] + len(kept)]
            fitted[node][op][str(ranks)] = [_plain(p) for p in protocols]
        every += errors
        median, tail = np.percentile(errors, (50, 90))
        print(f"{node:<12} {op:<14} {counts[0]:>5} {counts[1]:>6} {median:>6.1f}% {tail:>5.1f}%")
    print(f"all: median {np.median(every):.1f} %, p90 {np.percentile(every, 90):.1f} %")
    _over_two_nodes()
    path = PARAMETERS / "collectives.json"
    path.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def _over_two_nodes() -> None:
    """Not fitted: the NIC's rate comes from send/recv of the largest size, one GPU a node."""
    samples = read_samples(several_nodes=True)
    for cluster in sorted({sample.cluster for sample in samples}):
        own = [s for s in samples if s.cluster == cluster and s.size > LARGE_BYTES]
        pair = max((s for s in own if s.op == "sendrecv" and s.ranks == 2), key=lambda s: s.size)
        rate = pair.size / pair.time_us * 1e6 / PAIR
        fabric = find_fabric("ib-ndr").model_copy(update={"nic_bytes_per_s": rate})
        inside = NodeModel(find_node("hgx-h100"))
        errors = []
        for s in own:
            each = s.ranks // s.nodes
            inside_us = inside.time(s.op, s.size, each).pure_us if each > 1 else 0.0
            group = Group(s.nodes, each, nvls=True)
            time_us, *_ = network_time_us(fabric, s.op, s.size, group, inside_us)
            errors.append(abs(time_us / s.time_us - 1) * 100)
        median, tail = np.percentile(errors, (50, 90))
        print(f"two nodes, {cluster:<18} {len(own):>4} sizes {median:>6.1f}% {tail:>5.1f}%")


def _error(protocols: list[Protocol], sample: Sample) -> float:
    time_us = min(p.time_us(_transfer_us(sample)) for p in protocols)
    return abs(time_us / sample.time_us - 1) * 100


def _plain(p: Protocol) -> list[Any]:
    values = [float(f"{value:.4g}") for value in (p.start_us, p.efficiency, p.fill)]
    return [p.name, *values, *([float(f"{p.limit_us:.4g}")] if p.limit_us < np.inf else [])]
