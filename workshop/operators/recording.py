"""What programs asked of the device, kept compactly: a few kernels for each."""

import base64
import json
import lzma
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.trace import Capture, Definition, read_capture
from maya.trace.format import Kind

WORK = frozenset({Kind.KERNEL, Kind.LIBRARY, Kind.COPY, Kind.MEMSET})
_PUSH, _POP = "push", "pop"
_FAMILY = "family"  # found by the kernel's name again: records outlive the table
_LONG = 200  # characters; longer texts (mangled names, PTX) are kept once


@dataclass(frozen=True, slots=True)
class Recordings:
    """Device work of each program, by the program's key."""

    work: Mapping[str, tuple[Definition, ...]]

    def joined(self, others: "Recordings") -> "Recordings":
        """These and others, which win."""
        return Recordings({**self.work, **others.work})


def from_run(directory: Path, keys: Collection[str]) -> Recordings:
    """Everything that ran inside the ranges of these names, on whatever thread."""
    found: dict[str, tuple[Definition, ...]] = {}
    for file in sorted(directory.glob("*.maya")):
        found.update(_ranges(read_capture(file), keys))
    return Recordings(found)


def _ranges(
    capture: Capture, keys: Collection[str]
) -> Iterator[tuple[str, tuple[Definition, ...]]]:
    """Libraries open ranges of their own, inside ours and outside."""
    open_ranges, work = list[str](), list[Definition]()
    for number in capture.events["def"].tolist():
        definition = capture.definition(number)
        inside = any(name in keys for name in open_ranges)
        what = definition.text("what") if definition.kind == Kind.RANGE else ""
        if what == _PUSH:
            open_ranges.append(definition.text("text"))
        elif what == _POP and open_ranges:
            name = open_ranges.pop()
            if name in keys:
                yield name, tuple(work)
                work = []
        elif inside and definition.kind in WORK:
            work.append(definition)


def save(recordings: Recordings, path: Path) -> None:
    """Texts once, definitions once, then the definitions of each program by number."""
    texts, definitions = _Numbers(), _Numbers()
    programs = {
        key: [definitions.number(_plain(work, texts)) for work in works]
        for key, works in sorted(recordings.work.items())
    }
    content = {"texts": texts.items, "definitions": definitions.items, "programs": programs}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=9))


def load(path: Path) -> Recordings:
    """What `save` wrote; nothing where there is no such file."""
    if not path.exists():
        return Recordings({})
    content = json.loads(lzma.decompress(path.read_bytes()))
    texts = content["texts"]
    known = [_definition(plain, texts) for plain in content["definitions"]]
    return Recordings(
        {key: tuple(known[at] for at in places) for key, places in content["programs"].items()}
    )


class _Numbers:
    """Numbers of things, in the order in which they come."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._known: dict[str, int] = {}

    def number(self, item: Any) -> int:
        text = item if isinstance(item, str) else json.dumps(item)
        if text not in self._known:
            self._known[text] = len(self.items)
            self.items.append(item)
        return self._known[text]


def _plain(work: Definition, texts: _Numbers) -> list[Any]:
    kept = {name: value for name, value in work.fields.items() if name != _FAMILY}
    fields = {name: _short(value, texts) for name, value in kept.items()}
    return [work.op, work.kind, fields, base64.b64encode(work.blob).decode(), list(work.extra)]


def _short(value: int | str, texts: _Numbers) -> Any:
    return [texts.number(value)] if isinstance(value, str) and len(value) > _LONG else value


def _definition(plain: Iterable[Any], texts: list[str]) -> Definition:
    op, kind, fields, blob, extra = plain
    whole = {n: texts[v[0]] if isinstance(v, list) else v for n, v in fields.items()}
    return Definition(0, op, kind, whole, tuple(extra), base64.b64decode(blob))
