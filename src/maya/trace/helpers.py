"""Tells the processes that are ranks from those that the program started beside them.

A probe, an evaluation in a subprocess or a worker that touches the device leaves a capture too,
with the rank that it inherited.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import shorten

import numpy as np

from maya.trace.capture import Capture
from maya.trace.format import Kind

_WORK = frozenset((Kind.KERNEL, Kind.LIBRARY, Kind.COPY, Kind.MEMSET))
_PROCESS = "process"
_LONGEST_NAME = 80  # characters
_SHOWN = 4  # that are named


@dataclass(frozen=True)
class Process:
    """What a capture says of the process that left it."""

    capture: Capture

    @property
    def pid(self) -> int:
        """As the emulating machine numbered it."""
        return self.capture.header.pid

    @cached_property
    def command(self) -> str:
        """Its command line; empty in captures of older versions."""
        return self._own.get("command", "").strip()

    @property
    def name(self) -> str:
        """Its command line, short enough for a sentence."""
        words = (word.rpartition("/")[2] or word for word in self.command.split())
        return shorten(" ".join(words), _LONGEST_NAME, placeholder=" ...") or f"process {self.pid}"

    @cached_property
    def older(self) -> frozenset[int]:
        """Processes of the program that it descends from."""
        return frozenset(int(pid) for pid in self._own.get("older", "").split(",") if pid.isdigit())

    @cached_property
    def is_member(self) -> bool:
        """Whether it met others in a communicator."""
        definitions = self.capture.definitions()
        return any(d.op == "comm" and d.number("nranks") > 1 for d in definitions)

    @cached_property
    def calls(self) -> int:
        """How often it gave the device work."""
        work = [d.id for d in self.capture.definitions() if d.kind in _WORK]
        return int(np.isin(self.capture.events["def"], work).sum())

    @cached_property
    def has_steps(self) -> bool:
        """Whether the end of a step was seen."""
        return any(d.op == "step_boundary" for d in self.capture.definitions())

    @cached_property
    def _own(self) -> dict[str, str]:
        for number in self.capture.definition_ids[:1]:
            definition = self.capture.definition(number)
            if definition.op == _PROCESS:
                return {name: definition.text(name) for name in definition.fields}
        return {}


def helpers_text(helpers: Sequence[Process]) -> str:
    """One sentence about them; empty where there is none."""
    if not helpers:
        return ""
    shown = ", ".join(f"{helper.name} ({helper.calls} calls)" for helper in helpers[:_SHOWN])
    more = f" and {len(helpers) - _SHOWN} more" if len(helpers) > _SHOWN else ""
    return (
        f"{len(helpers)} other process(es) of the program used the GPU; their work and memory "
        f"are not part of the step: {shown}{more}"
    )


def split_helpers(
    captures: Sequence[Capture],
) -> tuple[tuple[Capture, ...], tuple[Process, ...]]:
    """Captures of ranks, in their order, and the other processes."""
    ranks = [capture.header.rank for capture in captures]
    if len(captures) < 2 or (min(ranks) >= 0 and len(set(ranks)) == len(ranks)):
        return tuple(captures), ()
    processes = [Process(capture) for capture in captures]
    chosen = _ranks_of(processes)
    return (
        tuple(p.capture for p in processes if p.pid in chosen),
        tuple(p for p in processes if p.pid not in chosen),
    )


def _ranks_of(processes: Sequence[Process]) -> set[int]:
    """Pids of those that are ranks."""
    members = [p for p in processes if p.is_member]
    chosen = {p.pid for p in members}
    taken = {p.capture.header.rank for p in members}
    numbered = {p.capture.header.rank for p in processes} - {-1}
    for rank in numbered - taken:  # ranks that never met: each has one process
        chosen.add(_main([p for p in processes if p.capture.header.rank == rank]).pid)
    if chosen:
        return chosen
    families = [_main(family) for family in _families(processes)]
    # Where one trains, those that do not have their own business on the device.
    training = [p for p in families if p.has_steps]
    return {p.pid for p in training or families}


def _main(processes: Iterable[Process]) -> Process:
    """The one that steps, the oldest of them; else that with the most work."""
    found = list(processes)
    stepping = [p for p in found if p.has_steps] or found
    pids = {p.pid for p in stepping}
    oldest = [p for p in stepping if not p.older & pids]
    return max(oldest or stepping, key=lambda p: p.calls)


def _families(processes: Sequence[Process]) -> list[list[Process]]:
    """Processes of which one descends from the other."""
    families: list[list[Process]] = []
    for process in processes:
        related = [f for f in families if any(_related(process, other) for other in f)]
        families = [f for f in families if f not in related]
        families.append([process, *(other for f in related for other in f)])
    return families


def _related(one: Process, other: Process) -> bool:
    return one.pid in other.older or other.pid in one.older
