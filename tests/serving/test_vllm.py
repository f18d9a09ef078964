"""vLLM, unmodified, served in virtual time. Needs `.venv-vllm` (Makefile) and minutes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model import TINY, write_model

ROOT = Path(__file__).resolve().parents[2]
VLLM = Path(os.environ.get("MAYA_VLLM", ROOT / ".venv-vllm")) / "bin/vllm"
PORT = "8173"

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not VLLM.exists():
        pytest.fail(f"no {VLLM}; `make test-long` makes it")
    return write_model(tmp_path_factory.mktemp("model"), **TINY)


def _server(model: Path, *options: str, port: str = PORT) -> list[str]:
    words = [str(VLLM), "serve", str(model), "--load-format", "dummy", "--port", port]
    return [*words, "--max-model-len", "2048", *options]


def _maya(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "maya", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=1200)


def _outcome(model: Path, out: Path, load: str, *options: str) -> dict[str, Any]:
    words = ("serve", "-o", out, "--json", out.with_suffix(".json"), "--load", load, "--")
    done = _maya(*words, *_server(model, *options, port="8174"))
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(out.with_suffix(".json").read_text())["outcome"])


@pytest.mark.parametrize("mode", [("--enforce-eager",), ()], ids=["eager", "graphs"])
def test_every_request_gets_its_tokens(model: Path, tmp_path: Path, mode: tuple[str, ...]) -> None:
    found = _outcome(model, tmp_path / "run", "requests=12,rate=20,input=100,output=32", *mode)
    assert (found["requests"], found["failed"]) == (12, 0)
    assert found["output_tokens"] == 12 * 32
    assert 0 < found["tpot_ms"]["median"] < found["ttft_ms"]["median"] < 1000
    own = found["iterations"]
    assert own["count"] >= 32
    assert 1 <= own["batch"] <= own["most_batch"] <= 12


@pytest.fixture(scope="module")
def running(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    out = tmp_path_factory.mktemp("server")
    log = (out / "log").open("w")
    words = ["serve", "-o", str(out / "run"), "--", *_server(model, "--enforce-eager")]
    process = subprocess.Popen([sys.executable, "-m", "maya", *words], stderr=log, stdout=log)
    deadline = time.monotonic() + 900
    while "its clock stands" not in (out / "log").read_text():
        assert process.poll() is None, (out / "log").read_text()[-3000:]
        assert time.monotonic() < deadline
        time.sleep(0.5)
    yield out / "run"
    process.terminate()
    process.wait(120)
    log.close()


def test_vllms_own_benchmark_agrees_with_the_servers_notes(
    running: Path, model: Path, tmp_path: Path
) -> None:
    words = ["bench", "serve", "--model", str(model), "--port", PORT, "--dataset-name", "random"]
    words += ["--random-input-len", "64", "--random-output-len", "16", "--num-prompts", "20"]
    words += ["--request-rate", "10", "--ignore-eos", "--save-result"]
    words += ["--result-dir", str(tmp_path), "--result-filename", "bench.json"]
    out = tmp_path / "out.json"
    done = _maya("client", "--server", running, "--json", out, "--", VLLM, *words)
    assert done.returncode == 0, done.stderr[-3000:]
    bench, found = json.loads((tmp_path / "bench.json").read_text()), json.loads(out.read_text())
    assert bench["completed"] == 20
    # The server also saw the request with which the benchmark tries it out.
    assert found["requests"] in (20, 21)
    assert bench["median_ttft_ms"] >= 0.9 * found["ttft_ms"]["median"]
    assert bench["median_tpot_ms"] == pytest.approx(found["tpot_ms"]["median"], rel=0.5)


def test_longer_requests_take_longer_under_the_same_graphs(tmp_path: Path) -> None:
    """Wide heads make the cache large, so that reading it outweighs the work of the host."""
    heads = {"num_attention_heads": 64, "num_key_value_heads": 64, "head_dim": 128}
    wide = write_model(tmp_path / "wide", **(TINY | heads | {"num_hidden_layers": 16}))
    tpot_ms = {}
    for length in (50, 1500):
        load = f"requests=32,arrivals=burst,input={length},output=64"
        found = _outcome(wide, tmp_path / f"run{length}", load)
        tpot_ms[length] = found["tpot_ms"]["median"]
    # 32 requests of 1,500 tokens and 16 layers: 25 GB of keys and values, 8.4 ms on H100.
    assert tpot_ms[1500] > 8
    assert tpot_ms[1500] - tpot_ms[50] > 3
