"""Servers in virtual time, with one that needs no GPU: a client sees what the server slept."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parent / "workloads" / "token_server.py"
FIRST_S, NEXT_S = 20.0, 3.0  # nobody would wait for them


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _words(port: int, first_s: float = FIRST_S) -> list[str]:
    return [sys.executable, str(SERVER), str(port), str(first_s), str(NEXT_S), "--port", str(port)]


def _maya(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "maya", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def _serve(tmp_path: Path, *options: object) -> dict[str, Any]:
    out = tmp_path / "out.json"
    done = _maya(
        "serve", "-o", tmp_path / "run", "--json", out, *options, "--", *_words(_free_port())
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(out.read_text()))


def test_a_client_measures_what_the_server_slept_and_nobody_waits_for_it(tmp_path: Path) -> None:
    began = time.monotonic()
    found = _serve(tmp_path, "--load", "requests=4,rate=0.01,input=8,output=11,arrivals=constant")
    outcome = found["outcome"]
    assert outcome["requests"] == 4
    assert outcome["output_tokens"] == 44
    assert outcome["ttft_ms"]["median"] == pytest.approx(1e3 * FIRST_S, rel=0.02)
    assert outcome["tpot_ms"]["median"] == pytest.approx(1e3 * NEXT_S, rel=0.02)
    assert outcome["seconds"] == pytest.approx(350, rel=0.02)
    assert time.monotonic() - began < 200


def test_requests_that_come_together_wait_for_each_other(tmp_path: Path) -> None:
    found = _serve(tmp_path, "--load", "requests=3,arrivals=burst,input=8,output=1")
    assert found["outcome"]["ttft_ms"]["median"] == pytest.approx(2e3 * FIRST_S, rel=0.02)


def test_the_capacity_of_a_server_that_takes_one_at_a_time(tmp_path: Path) -> None:
    """Twenty seconds each: from a rate of 1/20 on the queue grows."""
    load = "requests=20,rate=0.02,input=8,output=1,arrivals=constant"
    found = _serve(tmp_path, "--load", load, "--slo", "ttft=25s")
    assert found["capacity"]["rate"] == pytest.approx(0.05, rel=0.12)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Path]:
    """The run directory of a server that waits for clients."""
    run = tmp_path / "run"
    command = [sys.executable, "-m", "maya", "serve", "-o", str(run), "--"]
    log = (tmp_path / "log").open("w+")
    process = subprocess.Popen([*command, *_words(_free_port())], stderr=log)
    deadline = time.monotonic() + 120
    while "its clock stands" not in (tmp_path / "log").read_text():
        assert process.poll() is None, (tmp_path / "log").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield run
    process.terminate()
    process.wait(60)
    log.close()


def test_any_client_joins_the_clock(server: Path) -> None:
    port = json.loads((server / "clients.json").read_text())["MAYA_SERVER_PORT"]
    ask = f"""
import json, time, urllib.request
began = time.monotonic()
body = json.dumps({{"max_tokens": 2}}).encode()
urllib.request.urlopen("http://127.0.0.1:{port}/v1/completions", body).read()
print(time.monotonic() - began)
"""
    done = _maya("client", "--server", server, "--", sys.executable, "-c", ask)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(FIRST_S + NEXT_S, rel=0.02)


def test_a_client_that_fails_says_so_and_the_server_goes_on(server: Path) -> None:
    failed = _maya("client", "--server", server, "--", sys.executable, "-c", "raise SystemExit(7)")
    assert failed.returncode == 7
    sent = _maya("client", "--server", server, "--load", "requests=1,output=1", "--json", "-")
    assert json.loads(sent.stdout)["ttft_ms"]["median"] == pytest.approx(1e3 * FIRST_S, rel=0.02)


def test_a_client_on_another_clock_is_told_so(server: Path) -> None:
    port = json.loads((server / "clients.json").read_text())["MAYA_SERVER_PORT"]
    log = server.parent / "log"
    with socket.create_connection(("127.0.0.1", int(port))):
        deadline = time.monotonic() + 30
        while "on another clock" not in log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert f"process {os.getpid()} " in log.read_text()
    assert f"maya client --server {server} -- " in log.read_text().replace("\n", " ")


def test_a_request_that_never_ends_is_given_up_and_nobody_waits_for_it(tmp_path: Path) -> None:
    load = ("--load", "requests=2,arrivals=burst")
    done = _maya("serve", "-o", tmp_path / "run", *load, "--", *_words(_free_port(), 0))
    assert done.returncode == 1
    assert "none of 2 requests was answered: no answer within 3600 s" in done.stderr


def test_a_server_that_dies_of_a_request_is_named_with_its_exit_code(tmp_path: Path) -> None:
    load = ("--load", "requests=1")
    done = _maya("serve", "-o", tmp_path / "run", *load, "--", *_words(_free_port(), -1))
    assert done.returncode == 1
    assert "the server ended with exit code 9 while requests were under way" in done.stderr


def test_a_thread_that_computes_for_ever_is_named_with_its_line(tmp_path: Path) -> None:
    load = ("--load", "requests=1", "--spin-seconds", 3)
    done = _maya("serve", "-o", tmp_path / "run", *load, "--", *_words(_free_port(), -2))
    assert done.returncode == 1
    lines = SERVER.read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "while first_s < -1" in text)
    said = " ".join(done.stderr.split())
    assert re.search(r"thread \d+ \(.+\) of process \d+ has computed for \d+ s in do_POST, ", said)
    assert re.search(rf"{SERVER}:({line}|{line + 1}): nobody was answered", said)


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = _maya("serve", "-o", tmp_path / "run", "--", *_words(port))
    assert done.returncode == 1
    assert f"port {port} is in use" in done.stderr


def test_a_server_that_ends_before_it_answers_has_failed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit(3)", "--port", _free_port()]
    load = ("--load", "requests=1")
    assert _maya("serve", "-o", tmp_path / "run", *load, "--", *command).returncode == 2


def test_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import threading; threading.Event().wait()"]
    patience = ("--ready-seconds", 3, "--load", "requests=1")
    place = ("-o", tmp_path / "run")
    done = _maya("serve", *place, *patience, "--", *command, "--port", _free_port())
    assert done.returncode == 1
    assert "did not answer within 3 s" in done.stderr


def test_a_client_without_a_server_is_told(tmp_path: Path) -> None:
    done = _maya("client", "--server", tmp_path, "--", "true")
    assert done.returncode == 1
    assert "maya serve starts one" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("serve",),
        ("serve", "--slo", "ttft=1s", "--", "true"),
        ("serve", "--load", "speed=1", "--", "true"),
        ("serve", "--output-lengths", "long", "--", "true"),
        ("client",),
    ],
)
def test_wrong_use_is_told_at_once(words: tuple[str, ...]) -> None:
    done = _maya(*words)
    assert done.returncode == 1
    assert "hint:" in done.stderr
