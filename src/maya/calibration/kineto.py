"""Traces of torch.profiler: kernels, and the operators whose calls launched them."""

import json
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from maya.calibration.spans import (
    Trace,
    TracedKernel,
    TracedOperator,
    bad_trace,
    duration,
    sizes,
    three,
)

_GZIP = b"\x1f\x8b"
_MOST_BYTES = 4 << 30  # of a trace, unpacked
_OPERATORS = ("cpu_op", "operator")
_CALLS = ("cuda_runtime", "runtime", "cuda_driver")
Event = dict[str, Any]


def read_kineto(path: Path) -> Trace:
    """MayaError where the file is no such trace."""
    loaded = _load(path)
    events = loaded.get("traceEvents") if isinstance(loaded, dict) else loaded
    if not isinstance(events, list):
        raise bad_trace(path, "has no traceEvents")
    spans = [event for event in events if isinstance(event, dict) and event.get("ph") == "X"]
    kernels = [event for event in spans if _category(event) == "kernel"]
    operators = _Operators(spans)
    launches = tuple(_launches(path, kernels, operators))
    return Trace(str(path), _gpu(loaded, kernels), launches, operators.named("convolution"))


def _load(path: Path) -> Any:
    try:
        raw = path.read_bytes()
        if raw.startswith(_GZIP):
            raw = _unpack(path, raw)
        return json.loads(raw)
    except OSError as error:
        raise bad_trace(path, f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise bad_trace(path, f"is no JSON, or was cut short: {str(error)[:80]}") from error


def _unpack(path: Path, raw: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(raw, _MOST_BYTES)
    except zlib.error as error:
        raise bad_trace(path, f"is damaged: {error}") from error
    if unpacker.unconsumed_tail:
        raise bad_trace(path, "unpacks to more than 4 GiB")
    if not unpacker.eof:
        raise bad_trace(path, "was cut short: the compressed data ends early")
    return text


def _launches(path: Path, kernels: list[Event], operators: "_Operators") -> Iterator[TracedKernel]:
    for event in kernels:
        name, told = str(event.get("name", "")), _arguments(event)
        call, operator = operators.of(told.get("correlation"))
        yield TracedKernel(
            name,
            duration(path, name, event.get("dur"), 1e3),
            three(path, name, told.get("grid")),
            three(path, name, told.get("block")),
            operator,
            call,
        )


class _Operators:
    """The innermost operator around the call that launched a kernel, on the same thread."""

    def __init__(self, spans: Iterable[Event]) -> None:
        self._calls: dict[Any, tuple[tuple[Any, Any], float]] = {}
        self._by_thread: dict[tuple[Any, Any], list[tuple[float, float, int]]] = defaultdict(list)
        self._events: list[Event] = []
        for event in spans:
            begin, length = event.get("ts"), event.get("dur")
            if not isinstance(begin, (int, float)) or not isinstance(length, (int, float)):
                continue
            place = str(event.get("pid")), str(event.get("tid"))
            if _category(event) in _CALLS:
                self._calls[_key(_arguments(event).get("correlation"))] = place, begin
            elif _category(event) in _OPERATORS:
                self._by_thread[place].append((begin, begin + length, len(self._events)))
                self._events.append(event)
        for own in self._by_thread.values():
            own.sort(key=lambda span: (span[0], -span[1]))
        self._known: dict[int, TracedOperator] = {}

    def of(self, correlation: Any) -> tuple[int, TracedOperator | None]:
        """Its number and itself; -1 where nothing is known of it."""
        place, at = self._calls.get(_key(correlation), (("", ""), 0.0))
        own = self._by_thread.get(place, [])
        index = bisect_right(own, at, key=lambda span: span[0]) - 1
        while index >= 0 and own[index][1] < at:
            index -= 1
        if index < 0:
            return -1, None
        number = own[index][2]
        if number not in self._known:
            self._known[number] = _operator(self._events[number])
        return number, self._known[number]

    def named(self, word: str) -> tuple[TracedOperator, ...]:
        """All that have the word in their names, each once."""
        found = (event for event in self._events if word in str(event.get("name")))
        return tuple(dict.fromkeys(map(_operator, found)))


def _operator(event: Event) -> TracedOperator:
    told = _arguments(event)
    return TracedOperator(
        str(event.get("name", "")),
        tuple(map(sizes, _listed(told, "Input Dims", "Input dims"))),
        tuple(map(str, _listed(told, "Input type"))),
        tuple(map(sizes, _listed(told, "Input Strides"))),
        tuple(map(str, _listed(told, "Concrete Inputs"))),
    )


def _listed(told: Event, *names: str) -> list[Any]:
    found: Any = next((told[name] for name in names if name in told), [])
    return found if isinstance(found, list) else []


def _gpu(loaded: Any, kernels: list[Event]) -> str:
    """The name of the device that the kernels ran on."""
    devices = loaded.get("deviceProperties") if isinstance(loaded, dict) else None
    if not isinstance(devices, list) or not kernels:
        return ""
    used = _arguments(kernels[0]).get("device")
    told = [device for device in devices if isinstance(device, dict)]
    names = [str(device.get("name", "")) for device in told if device.get("id") == used]
    return names[0] if names else ""


def _arguments(event: Event) -> Event:
    found = event.get("args")
    return found if isinstance(found, dict) else {}


def _category(event: Event) -> str:
    return str(event.get("cat")).lower()


def _key(value: Any) -> str:
    return "" if value is None else str(value)
