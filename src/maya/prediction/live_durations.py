"""Durations of a program's work while it runs, for the virtual clock."""

import mmap
import struct
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from maya.estimate.collectives import CollectiveCall, CollectiveModel
from maya.estimate.kernels.serving import lengths_rates
from maya.estimate.sustained import load_parameters
from maya.hardware import Cluster
from maya.rundir import names
from maya.simulator.load import steady_stretch
from maya.simulator.matching import Communicator, is_buffered, meant, members_of
from maya.simulator.program import WHOLE_SHARE
from maya.simulator.work import ESTIMATED, Durations, Estimates, device_share, host_waits
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.problem import collective_bytes
from maya.trace.tail import CaptureTail

_PAUSE_S = 0.0005  # between two looks; a program stands still until it is answered
_IDLE_PAUSE_S = 0.005
_IDLE_LOOKS = 200
# native/core/virtual/durations_table.h, struct Table
_WANTED = struct.Struct("<I")
_ANSWER = struct.Struct("<q")
_ANSWERS_AT = 8
_MOST_DEFINITIONS = 1 << 20
_RATES = struct.Struct("<fffff")
_RATES_AT = _ANSWERS_AT + _MOST_DEFINITIONS * _ANSWER.size


class LiveDurations:
    """Answers the processes of a run from a thread of maya, each definition once."""

    def __init__(self, run_dir: Path, durations: Durations, cluster: Cluster, lag: float) -> None:
        self._run_dir = run_dir
        self._cluster, self._gpu = cluster, cluster.gpu
        self._estimates = Estimates(durations, self._gpu, {})
        self._collectives = CollectiveModel(cluster)
        self._load = load_parameters(self._gpu)
        self._lag = lag  # how much slower than a typical GPU the slowest one of the job is
        self._tables: dict[Path, _Table] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "LiveDurations":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()
        for table in self._tables.values():
            table.remove()

    def work_time(self, work: Definition) -> tuple[int, bool]:
        """How long the device takes, and whether the host waits for it."""
        if work.kind not in ESTIMATED:
            return 0, False
        estimate = self._estimates.of(work)
        stretch = None
        if self._load is not None:
            stretch = steady_stretch(work, estimate, self._gpu, self._load)
        under_load = 1.0 if stretch is None else stretch * (1 + self._lag)
        return round(estimate.duration_ns * under_load), host_waits(work)

    def _share(self, work: Definition) -> float:
        estimated = work.kind in ESTIMATED
        return device_share(work, self._gpu) / WHOLE_SHARE if estimated else 0.0

    def _link_time(
        self, call: Definition, comms: Mapping[int, Communicator]
    ) -> tuple[int, bool, float]:
        """How long a collective takes, whether it must be met, how long it uses its links."""
        match = meant(call, comms)
        cost = self._collectives.estimate(
            CollectiveCall(call.op, collective_bytes(call), match.members)
        )
        waits = not is_buffered(match, self._cluster)
        return cost.duration_ns, waits, cost.duration_ns * cost.link_share

    def _serve(self) -> None:
        idle = 0
        while not self._done.wait(_PAUSE_S if idle < _IDLE_LOOKS else _IDLE_PAUSE_S):
            idle = 0 if self._answer_all() else idle + 1

    def _answer_all(self) -> bool:
        for path in [path for path in self._tables if not path.exists()]:
            self._tables.pop(path).remove()  # of ranks that were launched before
        for path in self._run_dir.glob(f"*{names.CAPTURE_SUFFIX}{names.DURATIONS}"):
            if path not in self._tables and path.stat().st_size:
                self._tables[path] = _Table(path)
        return sum(self._answer(table) for table in self._tables.values()) > 0

    def _answer(self, table: "_Table") -> bool:
        definitions = table.unanswered()
        for definition in definitions:
            rates = lengths_rates(definition, self._gpu)
            if rates is not None:
                table.answer(definition.id, rates.base_ns, False, (*rates.by_lengths, 0.0, 1.0))
            elif definition.kind == Kind.COLLECTIVE:
                ns, waits, link_ns = self._link_time(definition, table.communicators)
                table.answer(definition.id, ns, waits, (0.0, 0.0, 0.0, link_ns, 0.0))
            else:
                share = self._share(definition)
                work = self.work_time(definition)
                table.answer(definition.id, *work, (0.0, 0.0, 0.0, 0.0, share))
        return bool(definitions)


class _Table:
    """The questions and answers of one process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._tail = CaptureTail(path.with_name(path.name.removesuffix(names.DURATIONS)))
        self._answered = 0
        self.communicators: dict[int, Communicator] = {}  # by the process's own number

    def unanswered(self) -> list[Definition]:
        wanted = int(_WANTED.unpack_from(self._map, 0)[0])
        if wanted <= self._answered:
            return []
        self._answered = wanted
        found = list(self._tail.definitions_up_to(wanted))
        for one in found:
            if one.kind == Kind.COMM:
                number = one.number("comm")
                self.communicators[number] = Communicator(number, members_of(one))
        return found

    def answer(self, number: int, duration_ns: int, waits: bool, rates: tuple[float, ...]) -> None:
        # Before the answer, which is looked at first.
        _RATES.pack_into(self._map, _RATES_AT + number * _RATES.size, *rates)
        value = 1 + 2 * duration_ns + waits
        _ANSWER.pack_into(self._map, _ANSWERS_AT + number * _ANSWER.size, value)

    def remove(self) -> None:
        """The answers mean nothing once the program has ended."""
        self._map.close()
        self._path.unlink(missing_ok=True)
