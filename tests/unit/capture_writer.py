"""Writes captures for tests, valid or not, in the layout of docs/capture.md."""

import struct
from collections.abc import Sequence
from pathlib import Path

EVENT = struct.Struct("<IHHQIIQQ")


def block(kind: int, payload: bytes) -> bytes:
    return struct.pack("<II", kind, len(payload)) + payload + b"\0" * (-len(payload) % 8)


class CaptureWriter:
    """Collects definitions and events, then gives the bytes of a capture."""

    def __init__(self, *, rank: int = -1, version: int = 1) -> None:
        self.rank, self.version = rank, version
        self.blocks: list[bytes] = []
        self._strings: dict[str, int] = {}
        self._schemas: dict[tuple[str, int, tuple[str, ...]], int] = {}
        self._definitions = 0
        self._time = 0

    def string(self, text: str) -> int:
        if text not in self._strings:
            self._strings[text] = len(self._strings) + 1
            self.blocks.append(block(1, struct.pack("<I", self._strings[text]) + text.encode()))
        return self._strings[text]

    def schema(self, op: str, kind: int, fields: Sequence[str]) -> int:
        key = (op, kind, tuple(fields))
        if key not in self._schemas:
            name, ids = self.string(op), [self.string(field) for field in fields]
            self._schemas[key] = number = len(self._schemas) + 1
            payload = struct.pack(f"<IIII{len(ids)}I", number, kind, name, len(ids), *ids)
            self.blocks.append(block(2, payload))
        return self._schemas[key]

    def define(
        self, op: str, kind: int, *extra: int, blob: bytes = b"", **fields: int | str
    ) -> int:
        names = [name + ":s" * isinstance(value, str) for name, value in fields.items()]
        values = [self.string(v) if isinstance(v, str) else v for v in fields.values()]
        values += extra
        schema = self.schema(op, kind, names)
        self._definitions += 1
        head = struct.pack("<IIII", self._definitions, schema, len(values), len(blob))
        self.blocks.append(block(3, head + struct.pack(f"<{len(values)}q", *values) + blob))
        return self._definitions

    def event(self, definition: int, *, stream: int = 0, a: int = 0, b: int = 0) -> bytes:
        self._time += 1000
        return EVENT.pack(definition, 1, stream, self._time, 500, 100, a, b)

    def events(self, *events: bytes, slots: int | None = None) -> None:
        payload = b"".join(events)
        self.blocks.append(block(4, payload.ljust((slots or len(events)) * EVENT.size, b"\0")))

    def end(self, reason: int = 1) -> None:
        self.blocks.append(block(5, struct.pack("<I", reason)))

    def header(self) -> bytes:
        head = struct.pack(
            "<8sIIQIiII", b"MAYACAP\0", self.version, 64, 10**18, 4321, self.rank, 2, 8
        )
        return head.ljust(64, b"\0")

    def bytes(self) -> bytes:
        return self.header() + b"".join(self.blocks)

    def write(self, path: Path, *, padding: int = 0) -> Path:
        path.write_bytes(self.bytes() + b"\0" * padding)
        return path


KERNEL = (
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE"
    "St5arrayIPcLm1EEEEviT0_T1_"
)


def small_capture(*, end: bool = True, rank: int = 0) -> CaptureWriter:
    """A bit of everything."""
    w = CaptureWriter(rank=rank)
    dims = {f"{what}_{axis}": 1 for what in ("grid", "block") for axis in "xyz"}
    fill = w.define("cudaLaunchKernel", 1, kernel=KERNEL, **dims, shared_bytes=0, blob=b"12345")
    gemm = w.define("cublasGemmEx", 2, m=8, n=16, k=32, Atype=2)
    upload = w.define("cudaMemcpyAsync", 3, bytes=4096, direction=1, **{"async": 1}, pageable=0)
    alloc = w.define("cudaMalloc", 5, what="device")
    free = w.define("cudaFree", 6, what="device")
    read = w.define("value_read", 18, site="train.py:7 (step)", bytes=4)
    missing = w.define("unsupported", 17, name="cudnnFoo", site="train.py:9 (step)")
    launch = w.define("cudaGraphLaunch", 14, what="launch", graph=5)
    reduce = w.define("ncclAllReduce", 12, comm=1, count=1024, datatype=7, rank=0, nranks=2)
    step = w.define("step", 20)
    w.define("graph_node", 19, graph=5, index=0, **{"def": fill}, stream=3)
    w.define("graph_node", 19, 0, graph=5, index=1, **{"def": fill}, stream=3)
    w.events(
        w.event(alloc, a=0x1000, b=1 << 20),
        w.event(upload, stream=1),
        w.event(fill, stream=1),
        w.event(gemm, stream=1),
        w.event(gemm, stream=1),
        w.event(read),
        w.event(missing),
        slots=16,
    )
    late = w.define("cudaMemsetAsync", 4, bytes=64, value=0)
    w.events(
        w.event(launch, stream=3),
        w.event(reduce, stream=2),
        w.event(late, stream=1),
        w.event(free, a=0x1000, b=1 << 20),
        w.event(alloc, a=0x2000, b=1 << 19),
        w.event(step),
    )
    if end:
        w.end()
    return w
