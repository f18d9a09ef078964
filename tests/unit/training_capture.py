"""Captures of a little training loop, for tests of prediction."""

import struct
from pathlib import Path

from capture_writer import EVENT, KERNEL, CaptureWriter

from maya.estimate import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Capture, Definition, read_capture
from maya.trace.format import EVENTS_PER_BLOCK

DIMENSIONS = {f"{what}_{axis}": 1 for what in ("grid", "block") for axis in "xyz"}
KERNEL_NS, GEMM_NS = 10_000, 100_000


class FixedDurations:
    """A chain whose answers are known to the tests."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self.asked = 0

    def estimate(self, work: Definition, device: Gpu) -> Estimate:
        self.asked += 1
        if work.op == "cublasGemmEx":
            return Estimate(round(GEMM_NS * self.scale), Source.LEARNED, 0.05, flops=1e9)
        return Estimate(round(KERNEL_NS * self.scale), Source.ANALYTICAL, 0.1)


class Script(CaptureWriter):
    """A writer whose calls have times."""

    def __init__(self, *, rank: int = 0, world: int = 1) -> None:
        super().__init__(rank=rank)
        self.world = world
        self.calls: list[bytes] = []
        self.now = 0
        made = self.define("stream", 9, what="default", device=0, priority=0, flags=0)
        self.kernel = self.define("kernel", 1, kernel=KERNEL, **DIMENSIONS, shared_bytes=0)
        self.gemm = self.define("cublasGemmEx", 2, m=8, n=16, k=32, a_type=14)
        self.boundary = self.define("step_boundary", 20)
        self.call(made, stream=1)

    def call(
        self,
        definition: int,
        *,
        stream: int = 0,
        thread: int = 1,
        cpu_ns: int = 1000,
        a: int = 0,
        b: int = 0,
    ) -> None:
        self.now += cpu_ns + 100
        self.calls.append(EVENT.pack(definition, thread, stream, self.now, cpu_ns, 100, a, b))

    def header(self) -> bytes:
        head = bytearray(super().header())
        struct.pack_into("<iI", head, 28, self.rank, self.world)
        return bytes(head)

    def steady(self, piece: int, steps: int) -> None:
        self.call(self.define("steady", 20, how=1, period=1, steps=steps), a=piece, cpu_ns=0)

    def save(self, directory: Path) -> Capture:
        for first in range(0, len(self.calls), EVENTS_PER_BLOCK):
            self.events(*self.calls[first : first + EVENTS_PER_BLOCK])
        self.end()
        return read_capture(self.write(directory / f"rank{self.rank}-{100 + self.rank}.maya"))


def training(
    directory: Path, *, rank: int = 0, world: int = 1, steps: int = 3, told: bool = True
) -> Capture:
    """Steps of two GEMMs, a reduction where there are peers, and an update.

    `told`: the launcher gave the process its rank.
    """
    script = Script(rank=rank, world=world)
    allocated = script.define("alloc", 5, what="device", device=0)
    script.call(allocated, a=0x1000, b=64 << 20)
    reduce = 0
    if world > 1:
        members = ",".join(map(str, range(world) if told else [-1] * world))
        comm = script.define("comm", 21, comm=1, rank=rank, nranks=world, members=members)
        script.call(comm, a=77)
        reduce = script.define(
            "ncclAllReduce", 12, comm=1, count=1 << 20, datatype=7, rank=rank, nranks=world
        )
    for piece in range(steps + 2):
        script.call(script.gemm, stream=1)
        if piece:
            script.call(script.boundary, a=piece, cpu_ns=0)
        script.call(script.gemm, stream=1)
        if reduce:
            script.call(reduce, stream=1, a=piece)
        script.call(script.kernel, stream=1)
    script.call(script.gemm, stream=1)
    script.call(script.boundary, a=steps + 2, cpu_ns=0)
    script.steady(steps + 2, steps)
    if not told:
        directory, script.rank, script.world = directory / str(rank), -1, 1
        directory.mkdir()
    return script.save(directory)
