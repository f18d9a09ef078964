"""Loads, promises, what a server's notes add up to, and the search for its capacity."""

import asyncio
import json
from pathlib import Path

import pytest

from maya.errors import MayaError
from maya.serving import parse_load, parse_slo
from maya.serving.capacity import broken_promises, find_capacity
from maya.serving.report import LoadOutcome, outcome, read_notes, spread
from maya.serving.sender import plan, send

NOTES = [
    {"scheduled_s": 10.0, "requests": 1, "tokens": 100, "prefill_requests": 1,
     "prefill_tokens": 100, "waiting": 2, "kv_used": 0.1, "preempted": 0},
    {"updated_s": 10.02},
    {"scheduled_s": 10.02, "requests": 2, "tokens": 2, "prefill_requests": 0,
     "prefill_tokens": 0, "waiting": 0, "kv_used": 0.3, "preempted": 1},
    {"updated_s": 10.03},
    {"arrived_s": 9.9, "first_s": 10.02, "finished_s": 10.03, "prompt_tokens": 100,
     "output_tokens": 2},
]  # fmt: skip


def _answered(ttft_ms: float, rate: float = 1.0) -> LoadOutcome:
    times = spread([ttft_ms / 1e3])
    return LoadOutcome(100, 0, 100 / rate, 1, 1, times, times, times, times, None)


def test_a_load_is_read_from_its_words() -> None:
    load = parse_load("requests=20,rate=2.5,input=64,arrivals=burst")
    assert (load.requests, load.rate, load.input, load.arrivals) == (20, 2.5, 64, "burst")


@pytest.mark.parametrize(
    "words", ["speed=3", "rate=fast", "rate=0", "requests=0", "arrivals=never", "trace=/no/such"]
)
def test_a_load_that_makes_no_sense_is_refused(words: str) -> None:
    with pytest.raises(MayaError):
        parse_load(words)


def test_a_promise_names_its_percentile() -> None:
    first, second = parse_slo("ttft=500ms,tpot:p90=0.04s")
    assert (first.metric, first.percent, first.most_ms) == ("ttft", 99, 500)
    assert (second.metric, second.percent, second.most_ms) == ("tpot", 90, 40)


@pytest.mark.parametrize("words", ["speed=3ms", "ttft=3", "ttft", "ttft:p0=3ms", "ttft:p101=3s"])
def test_a_promise_that_makes_no_sense_is_refused(words: str) -> None:
    with pytest.raises(MayaError):
        parse_slo(words)


def test_poisson_arrivals_have_the_rate_that_was_asked_for_and_bursts_come_at_once() -> None:
    load = parse_load("requests=4000,rate=8").words()
    assert plan(load)[-1][0] == pytest.approx(500, rel=0.1)
    assert plan(load) == plan(load)
    assert {second for second, _, _ in plan(load | {"arrivals": "burst"})} == {0.0}


def test_a_trace_is_followed_and_lengths_are_drawn_by_their_weights(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("# s in out\n0.5 10 3\n2,20,4\n")
    assert plan(parse_load(f"trace={tmp_path / 'trace'}").words()) == [(0.5, 10, 3), (2.0, 20, 4)]
    (tmp_path / "lengths").write_text("10 3 1\n20 4 3\n")
    drawn = plan(parse_load(f"requests=2000,lengths={tmp_path / 'lengths'}").words())
    assert sum(row[1:] == (20, 4) for row in drawn) == pytest.approx(1500, rel=0.1)


def test_the_servers_notes_add_up(tmp_path: Path) -> None:
    text = "\n".join(map(json.dumps, NOTES)) + '\n{"updated_s": 10.0'  # cut off
    (tmp_path / "served-7.jsonl").write_text(text)
    found = outcome(read_notes(tmp_path), None, usd_per_hour=3.6)
    assert (found.requests, found.output_tokens) == (1, 2)
    assert found.ttft_ms is not None
    assert found.ttft_ms.median == pytest.approx(120)
    own = found.iterations
    assert own is not None
    assert (own.count, own.most_batch, own.most_waiting, own.preempted) == (2, 2, 2, 1)
    assert own.interval_ms.values == pytest.approx((20, 10))
    assert own.kv_used == pytest.approx(0.2)
    assert found.usd_per_million_output_tokens == pytest.approx(0.001 * 0.13 / 2 * 1e6)
    assert read_notes(tmp_path, 10.025) == NOTES[3:]


def test_what_the_client_saw_comes_before_what_the_server_says() -> None:
    answers = [
        {"sent_s": 1.0, "came_s": [1.5, 1.6, 1.8], "prompt_tokens": 7, "output_tokens": 4},
        {"sent_s": 1.0, "error": "no"},
    ]
    found = outcome(NOTES, answers, None)
    assert (found.requests, found.failed, found.output_tokens, found.errors) == (1, 1, 4, ("no",))
    assert found.ttft_ms is not None
    assert found.ttft_ms.median == pytest.approx(500)
    assert found.tpot_ms is not None
    assert found.tpot_ms.median == pytest.approx(100)  # four tokens in three parts
    assert found.server_ttft_ms is not None
    assert found.usd_per_million_output_tokens is None


def test_the_capacity_is_found_from_below_and_from_above() -> None:
    slo = parse_slo("ttft=100ms")
    for start in (1.0, 64.0):
        found = find_capacity(start, slo, lambda rate: _answered(rate * 8, rate))
        assert found.rate is not None
        assert 12.5 / 1.1 <= found.rate <= 12.5


def test_a_promise_that_is_never_kept_has_no_capacity() -> None:
    found = find_capacity(8.0, parse_slo("ttft=1ms"), lambda rate: _answered(5, rate))
    assert found.rate is None
    assert len(found.trials) < 20


def test_failed_requests_break_every_promise() -> None:
    times = spread([0.001])
    found = LoadOutcome(1, 2, 1.0, 1, 1, times, times, times, times, None)
    assert broken_promises(found, parse_slo("e2e=1s")) == ("2 requests failed",)


def test_the_sender_times_every_part_of_an_answer() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        if b"/v1/models" in head:
            writer.write(b'{"data": [{"id": "m"}]}')
        else:
            for _ in range(3):
                writer.write(b'data: {"choices": [{"text": "a"}]}\n\n')
                await writer.drain()
                await asyncio.sleep(0.02)
            writer.write(b'data: {"choices": [], "usage": {"completion_tokens": 5}}\n\n')
        writer.close()

    async def both() -> list[dict[str, object]]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        load = parse_load("requests=2,rate=50,input=4,output=5").words()
        return await send(f"http://127.0.0.1:{port}", load)

    for answer in asyncio.run(both()):
        assert len(answer["came_s"]) == 3  # type: ignore[arg-type]
        assert (answer["prompt_tokens"], answer["output_tokens"]) == (4, 5)
