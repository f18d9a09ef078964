"""What a server did for a load, from its own notes and from its client's."""

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.rundir import names

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LatencySpread:
    """Of one time, over the requests, in milliseconds."""

    mean: float
    median: float
    p90: float
    p99: float
    values: tuple[float, ...] = ()

    def at(self, percent: int) -> float:
        """So many percent are at most this."""
        return percentile(self.values, percent)


@dataclass(frozen=True, slots=True)
class Iterations:
    """Of the server."""

    count: int
    interval_ms: LatencySpread
    batch: float  # requests, on average
    most_batch: int
    prefill_share: float  # of the tokens that were computed
    most_waiting: int
    kv_used: float  # of the cache, on average
    most_kv_used: float
    preempted: int


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """Of one load."""

    requests: int
    failed: int
    seconds: float
    input_tokens: int
    output_tokens: int
    ttft_ms: LatencySpread | None
    tpot_ms: LatencySpread | None
    itl_ms: LatencySpread | None
    e2e_ms: LatencySpread | None
    iterations: Iterations | None
    server_ttft_ms: LatencySpread | None = None
    server_tpot_ms: LatencySpread | None = None
    usd_per_million_output_tokens: float | None = None
    errors: tuple[str, ...] = ()

    @property
    def requests_per_s(self) -> float:
        """Throughput."""
        return self.requests / self.seconds if self.seconds else 0.0

    @property
    def output_tokens_per_s(self) -> float:
        """Throughput."""
        return self.output_tokens / self.seconds if self.seconds else 0.0

    def spread(self, metric: str) -> LatencySpread | None:
        """By the name that a promise uses."""
        found: LatencySpread | None = getattr(self, f"{metric}_ms")
        return found


def percentile(values: Sequence[float], percent: float) -> float:
    """Between the two nearest."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def spread(seconds: Iterable[float]) -> LatencySpread | None:
    """None where there is nothing."""
    values = tuple(1e3 * second for second in seconds)
    if not values:
        return None
    mean = sum(values) / len(values)
    median, p90, p99 = (percentile(values, percent) for percent in (50, 90, 99))
    return LatencySpread(mean, median, p90, p99, values)


def read_notes(run_dir: Path, began_s: float = 0.0, ended_s: float = float("inf")) -> list[Row]:
    """What the server noted in this stretch of virtual time, in order."""
    rows: list[Row] = []
    for path in sorted(run_dir.glob(names.SERVED.format(process="*"))):
        for line in path.read_text("utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:  # the line that was being written when the server was ended
                continue
    return sorted((row for row in rows if began_s <= _moment(row) <= ended_s), key=_moment)


def _moment(row: Row) -> float:
    for name in ("scheduled_s", "updated_s", "finished_s"):
        if name in row:
            return float(row[name])
    return 0.0


def iterations(rows: Sequence[Row]) -> Iterations | None:
    """Of the rows of `read_notes`."""
    planned = [row for row in rows if "scheduled_s" in row]
    if not planned:
        return None
    tokens = sum(row["tokens"] for row in planned)
    return Iterations(
        count=len(planned),
        interval_ms=spread(_iteration_times(rows)) or LatencySpread(0, 0, 0, 0),
        batch=sum(row["requests"] for row in planned) / len(planned),
        most_batch=max(row["requests"] for row in planned),
        prefill_share=sum(row["prefill_tokens"] for row in planned) / max(tokens, 1),
        most_waiting=max(row["waiting"] for row in planned),
        kv_used=sum(row["kv_used"] for row in planned) / len(planned),
        most_kv_used=max(row["kv_used"] for row in planned),
        preempted=sum(row["preempted"] for row in planned),
    )


def _iteration_times(rows: Sequence[Row]) -> list[float]:
    """From one iteration's end to the next one's, without the time in which nobody asked."""
    times: list[float] = []
    planned: list[float] = []
    last = 0.0
    for row in rows:
        if "scheduled_s" in row:
            planned.append(row["scheduled_s"])
        elif "updated_s" in row and planned:
            times.append(row["updated_s"] - max(last, planned.pop(0)))
            last = row["updated_s"]
    return times


def outcome(
    rows: Sequence[Row], answers: Sequence[Row] | None, usd_per_hour: float | None
) -> LoadOutcome:
    """`answers`: of our own client; without them the server's requests speak."""
    served = [row for row in rows if "finished_s" in row]
    seen = _of_client(answers) if answers is not None else _of_server(served)
    tokens, seconds = int(seen["output_tokens"]), float(seen["seconds"])
    usd = usd_per_hour * seconds / 3600 / tokens * 1e6 if usd_per_hour and tokens else None
    return LoadOutcome(
        **seen,
        iterations=iterations(rows),
        server_ttft_ms=spread(row["first_s"] - row["arrived_s"] for row in served),
        server_tpot_ms=spread(_token_times(served)),
        usd_per_million_output_tokens=usd,
    )


def _token_times(served: Iterable[Row]) -> list[float]:
    return [
        (row["finished_s"] - row["first_s"]) / (row["output_tokens"] - 1)
        for row in served
        if row["output_tokens"] > 1
    ]


def _of_server(served: Sequence[Row]) -> dict[str, Any]:
    began = min((row["arrived_s"] for row in served), default=0.0)
    ended = max((row["finished_s"] for row in served), default=0.0)
    return {
        "requests": len(served),
        "failed": 0,
        "seconds": ended - began,
        "input_tokens": sum(row["prompt_tokens"] for row in served),
        "output_tokens": sum(row["output_tokens"] for row in served),
        "ttft_ms": spread(row["first_s"] - row["arrived_s"] for row in served),
        "tpot_ms": spread(_token_times(served)),
        "itl_ms": None,
        "e2e_ms": spread(row["finished_s"] - row["arrived_s"] for row in served),
    }


def _of_client(answers: Sequence[Row]) -> dict[str, Any]:
    good = [row for row in answers if row.get("came_s")]
    came = [row["came_s"] for row in good]
    began = min((row["sent_s"] for row in good), default=0.0)
    ended = max((parts[-1] for parts in came), default=0.0)
    between = [b - a for parts in came for a, b in itertools.pairwise(parts)]
    longer = [row for row in good if row["output_tokens"] > 1]
    return {
        "requests": len(good),
        "failed": len(answers) - len(good),
        "seconds": ended - began,
        "input_tokens": sum(row["prompt_tokens"] for row in good),
        "output_tokens": sum(row["output_tokens"] for row in good),
        "ttft_ms": spread(row["came_s"][0] - row["sent_s"] for row in good),
        "tpot_ms": spread(
            (row["came_s"][-1] - row["came_s"][0]) / (row["output_tokens"] - 1) for row in longer
        ),
        "itl_ms": spread(between),
        "e2e_ms": spread(row["came_s"][-1] - row["sent_s"] for row in good),
        "errors": tuple(sorted({row["error"] for row in answers if "error" in row})),
    }
