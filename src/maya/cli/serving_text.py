"""What a server did, as lines for a terminal."""

from collections.abc import Iterator

from maya.serving import LoadOutcome
from maya.serving.capacity import Capacity, Trial
from maya.serving.report import LatencySpread

_TIMES = (
    ("TTFT", "ttft_ms"),
    ("TPOT", "tpot_ms"),
    ("ITL", "itl_ms"),
    ("E2E", "e2e_ms"),
    ("TTFT, server", "server_ttft_ms"),
    ("TPOT, server", "server_tpot_ms"),
)


def outcome_lines(outcome: LoadOutcome) -> Iterator[str]:
    """The report of one load."""
    failed = f", {outcome.failed} failed" if outcome.failed else ""
    yield (
        f"{outcome.requests} requests in {outcome.seconds:.2f} s{failed}: "
        f"{outcome.requests_per_s:.2f} requests/s, {outcome.output_tokens_per_s:,.0f} output and "
        f"{outcome.input_tokens / max(outcome.seconds, 1e-9):,.0f} input tokens/s"
    )
    yield f"{'ms':14}{'mean':>10}{'median':>10}{'p90':>10}{'p99':>10}"
    for title, name in _TIMES:
        if (times := getattr(outcome, name)) is not None:
            yield f"{title:14}{_row(times)}"
    if (own := outcome.iterations) is not None:
        yield f"{'iteration':14}{_row(own.interval_ms)}"
        yield (
            f"{own.count} iterations: {own.batch:.1f} requests on average, at most "
            f"{own.most_batch}; {own.prefill_share:.0%} of the tokens are prefill; at most "
            f"{own.most_waiting} waiting"
        )
        yield (
            f"KV cache: {own.kv_used:.1%} used on average, at most {own.most_kv_used:.1%}; "
            f"{own.preempted} preemptions"
        )
    if (usd := outcome.usd_per_million_output_tokens) is not None:
        yield f"${usd:.2f} per million output tokens"
    for error in outcome.errors[:3]:
        yield f"a request failed: {error}"


def _row(times: LatencySpread) -> str:
    return "".join(f"{value:10.2f}" for value in (times.mean, times.median, times.p90, times.p99))


def trial_line(trial: Trial) -> str:
    """One rate of the search."""
    verdict = "; ".join(trial.broken) or "kept"
    return f"{trial.rate:.2f} requests/s: {verdict}"


def capacity_line(capacity: Capacity) -> str:
    """The answer."""
    if capacity.rate is None:
        return "the promise is broken at every rate that was tried"
    return f"capacity: {capacity.rate:.2f} requests/s keep the promise"
