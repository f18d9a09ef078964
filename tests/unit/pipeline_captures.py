"""Captures of a pipeline under 1F1B, one for each stage."""

from pathlib import Path

from training_capture import DIMENSIONS, Script

from maya.trace import Capture

STEPS = 2
COMM = 77
HOST, DEVICE = 1, 2  # streams: of the work, and of the messages


class StageScript(Script):
    """The calls of one stage; every message waits for the work before it, and the work for it."""

    def __init__(self, stage: int, stages: int, layers: int) -> None:
        super().__init__(rank=stage, world=stages)
        self.stage, self.stages, self.layers = stage, stages, layers
        members = ",".join(map(str, range(stages)))
        comm = self.define("comm", 21, comm=1, rank=stage, nranks=stages, members=members)
        self.call(comm, a=COMM)
        self.backward = self.define("backward", 1, kernel="back", **DIMENSIONS, shared_bytes=0)
        self.record = self.define("record", 7)
        self.wait = self.define("wait", 8)
        self.versions = 0
        self.messages = {
            (op, peer): self.define(
                op, 12, comm=1, count=1 << 20, datatype=7, rank=stage, nranks=stages, peer=peer
            )
            for op in ("ncclSend", "ncclRecv")
            for peer in (stage - 1, stage + 1)
            if 0 <= peer < stages
        }

    def message(self, op: str, away: int) -> None:
        made = self.messages.get((op, self.stage + away))
        if made is None:
            return
        self._after(HOST, DEVICE)
        self.call(made, stream=DEVICE)
        self._after(DEVICE, HOST)

    def _after(self, first: int, then: int) -> None:
        self.versions += 1
        self.call(self.record, stream=first, a=first, b=self.versions, cpu_ns=0)
        self.call(self.wait, stream=then, a=first, b=self.versions, cpu_ns=0)

    def forward(self) -> None:
        self.message("ncclRecv", -1)
        for _ in range(self.layers):
            self.call(self.gemm, stream=HOST)
        self.message("ncclSend", 1)

    def back(self) -> None:
        self.message("ncclRecv", 1)
        for _ in range(self.layers):
            self.call(self.backward, stream=HOST)
        self.message("ncclSend", -1)

    def step(self, micro_batches: int) -> None:
        ahead = min(self.stages - self.stage - 1, micro_batches)
        for _ in range(ahead):
            self.forward()
        for _ in range(micro_batches - ahead):
            self.forward()
            self.back()
        for _ in range(ahead):
            self.back()
        self.call(self.kernel, stream=HOST)


def pipeline(
    directory: Path, stages: int, micro_batches: int, larger: int | None = None
) -> list[Capture]:
    """Every stage; `larger`: one with a layer more."""
    captures = []
    for stage in range(stages):
        script = StageScript(stage, stages, 2 + (stage == larger))
        for piece in range(1, STEPS + 3):
            script.step(micro_batches)
            script.call(script.kernel, stream=HOST)
            script.call(script.boundary, a=piece, cpu_ns=0)
        script.steady(STEPS + 2, STEPS)
        captures.append(script.save(directory))
    return captures
