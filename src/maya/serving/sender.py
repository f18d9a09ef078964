"""Sends a load: `python -m maya.serving.sender URL LOAD OUT`, inside the clock of a job.

It speaks to the OpenAI interface that vLLM and SGLang both offer, and needs nothing but Python.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Plan = list[tuple[float, int, int]]  # second, input tokens, output tokens
_FIRST_TOKEN, _TOKENS = 10, 900  # ids that any vocabulary has, and that end no text
_PATIENCE_S = 3600.0


def plan(load: dict[str, Any]) -> Plan:
    """When to ask for what."""
    if load["trace"]:
        rows = _rows(load["trace"])
        return [(float(row[0]), int(row[1]), int(row[2])) for row in rows]
    draw = random.Random(load["seed"])
    lengths = [[float(word) for word in row] for row in _rows(load["lengths"])]
    weights = [row[2] if len(row) > 2 else 1.0 for row in lengths]
    planned: Plan = []
    second = 0.0
    for _ in range(load["requests"]):
        row = draw.choices(lengths, weights)[0] if lengths else (load["input"], load["output"])
        planned.append((second, int(row[0]), int(row[1])))
        second += _gap_s(load, draw)
    return planned


def _gap_s(load: dict[str, Any], draw: random.Random) -> float:
    if load["arrivals"] == "burst":
        return 0.0
    mean = 1.0 / float(load["rate"])
    return draw.expovariate(1.0 / mean) if load["arrivals"] == "poisson" else mean


def _rows(path: str) -> Iterator[list[str]]:
    if path:
        for line in Path(path).read_text("utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                yield line.replace(",", " ").split()


class Sender:
    """Asks one server."""

    def __init__(self, url: str, model: str, seed: int) -> None:
        self._place = urlsplit(url)
        self._model = model
        self._draw = random.Random(seed + 1)

    async def ask(self, prompt_tokens: int, output_tokens: int) -> dict[str, Any]:
        """One request; when its parts came."""
        prompt = [_FIRST_TOKEN + self._draw.randrange(_TOKENS) for _ in range(prompt_tokens)]
        body = {
            "model": self._model,
            "prompt": prompt,
            "max_tokens": output_tokens,
            "ignore_eos": True,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        sent = time.perf_counter()
        came: list[float] = []
        tokens = 0
        try:
            async with asyncio.timeout(_PATIENCE_S):
                async for line in self._lines("POST", "/v1/completions", body):
                    if '"choices":[]' in line.replace(" ", ""):
                        tokens = json.loads(line.removeprefix("data: "))["usage"][
                            "completion_tokens"
                        ]
                    elif line.startswith("data: {"):
                        came.append(time.perf_counter())
        except TimeoutError:
            return {"sent_s": sent, "error": f"no answer within {_PATIENCE_S:g} s of its clock"}
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            return {"sent_s": sent, "error": str(error) or type(error).__name__}
        if not came:
            return {"sent_s": sent, "error": "the server sent no token"}
        return {
            "sent_s": sent,
            "came_s": came,
            "prompt_tokens": prompt_tokens,
            "output_tokens": tokens or len(came),  # under load a part holds several
        }

    async def _lines(self, verb: str, path: str, body: Any = None) -> Any:
        host, port = self._place.hostname or "127.0.0.1", self._place.port or 80
        reader, writer = await asyncio.open_connection(host, port)
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{verb} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        writer.write(
            f"{head}Connection: close\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
        )
        await writer.drain()
        status = await reader.readline()
        if b" 200 " not in status:
            writer.close()
            raise ValueError(status.decode("latin-1").strip() or "the server closed the connection")
        while line := await reader.readline():
            yield line.decode("utf-8", "replace").strip()
        writer.close()

    async def first_model(self) -> str:
        """What the server calls its model."""
        text = "".join([line async for line in self._lines("GET", "/v1/models")])
        return str(json.loads(text[text.index("{") : text.rindex("}") + 1])["data"][0]["id"])


async def send(url: str, load: dict[str, Any]) -> list[dict[str, Any]]:
    """All of the load; what became of each request."""
    model = await Sender(url, "", 0).first_model()
    sender = Sender(url, model, load["seed"])
    began = time.perf_counter()

    async def later(second: float, prompt: int, output: int) -> dict[str, Any]:
        await asyncio.sleep(max(0.0, began + second - time.perf_counter()))
        return await sender.ask(prompt, output)

    return list(await asyncio.gather(*(later(*one) for one in plan(load))))


def main() -> None:
    """Entry point."""
    url, load, out = sys.argv[1:4]
    answers = asyncio.run(send(url, json.loads(load)))
    Path(out).write_text(json.dumps(answers), "utf-8")


if __name__ == "__main__":
    main()
