"""Which kernels of PyTorch's own operator samples are only guessed."""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from maya.emulator import EmulationOptions, emulate
from maya.errors import MayaError
from maya.estimate.chain import default_chain
from maya.estimate.types import Source
from maya.hardware import find_gpu
from maya.trace import Definition, read_capture
from maya.trace.format import Kind
from workshop.operators.emulation import GPU
from workshop.operators.recording import Recordings, load, save

FILE = Path(__file__).parent / "recorded" / "samples.json.xz"
_MOST_SECONDS = 3000.0
_COMPUTES = (Kind.KERNEL, Kind.LIBRARY)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Kernels and library calls by name, over the samples of all operators."""

    kernels: int
    assumed: tuple[str, ...]  # names

    @property
    def line(self) -> str:
        """For people."""
        return (
            f"PyTorch's samples launch {self.kernels} different kernels and library calls; "
            f"{len(self.assumed)} of them are only guessed"
        )


def record_samples() -> None:
    """Emulate them all, and keep the first launch of each kernel and library call."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        words = [sys.executable, "-m", "workshop.operators.samples"]
        result = emulate(
            words, EmulationOptions(gpu=GPU, steps=0, max_seconds=_MOST_SECONDS, output=run)
        )
        if result.exit_code:
            raise MayaError("the samples could not be recorded", hint=f"try {' '.join(words)}")
        first: dict[str, tuple[str, Definition]] = {}
        for operator, work in _launches(run):
            first.setdefault(_name(work), (operator, work))
    found: dict[str, tuple[Definition, ...]] = {}
    for operator, work in first.values():
        found[operator] = (*found.get(operator, ()), work)
    save(Recordings(found), FILE)


def coverage() -> Coverage:
    """Of what is kept, estimated today."""
    chain, gpu, known = default_chain(), find_gpu(GPU), load(FILE).work
    kept = [work for works in known.values() for work in works]
    guessed = {_name(w) for w in kept if chain.estimate(w, gpu).source == Source.ASSUMED}
    return Coverage(len(kept), tuple(sorted(guessed)))


def _launches(run: Path) -> Iterator[tuple[str, Definition]]:
    """Each different piece of work with the operator whose range it is in."""
    for file in sorted(run.glob("*.maya")):
        capture, open_ranges, seen = read_capture(file), list[str](), set[int]()
        for number in capture.events["def"].tolist():
            work = capture.definition(number)
            if work.kind == Kind.RANGE and work.text("what") == "push":
                open_ranges.append(work.text("text"))
            elif work.kind == Kind.RANGE and open_ranges:
                open_ranges.pop()
            elif work.kind in _COMPUTES and open_ranges and number not in seen:
                seen.add(number)
                yield open_ranges[0], work


def _name(work: Definition) -> str:
    return work.text("kernel") if work.kind == Kind.KERNEL else work.op
