"""Pieces of device work that a trace shows: each once, with all its times."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median, pstdev

from maya.calibration.kernels import kernel_work, launch_fields
from maya.calibration.operators import LibraryOperators
from maya.calibration.spans import Trace, TracedKernel
from maya.estimate.measured import MEASUREMENT
from maya.estimate.problem import LibraryProblem, library_problem
from maya.families import family_of
from maya.hardware import Gpu
from maya.trace import Definition, Run
from maya.trace.format import Kind
from maya.trace.names import plain_name
from maya.trace.problem import dimensions

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """A kernel, or the kernels of one library call."""

    work: Definition | None  # None: nothing is known of it but its time
    kernel: str  # the name that a measurement goes by
    fields: dict[str, int | str]  # what else must be equal
    times_ns: tuple[float, ...]

    @property
    def typical_ns(self) -> float:
        """One call."""
        return median(self.times_ns)

    @property
    def total_ns(self) -> float:
        """All calls."""
        return sum(self.times_ns)

    @property
    def spread(self) -> float:
        """Relative, one sigma: machines differ, and launches that look alike may not be."""
        return max(MEASUREMENT, pstdev(self.times_ns) / self.typical_ns)


def observe(traces: Iterable[Trace], gpu: Gpu, run: Run | None) -> list[Observation]:
    """Everything in the traces that took time, the longest first."""
    times: dict[Key, list[float]] = defaultdict(list)
    about: dict[Key, tuple[Definition | None, str, dict[str, int | str]]] = {}
    recorded = _recorded(run)
    for trace in traces:
        for key, found, time in _pieces(trace, gpu):
            times[key].append(time)
            if key not in about:
                about[key] = (recorded.get(key) or found[0], *found[1:])
    seen = [Observation(*about[key], tuple(own)) for key, own in times.items()]
    return sorted(seen, key=lambda own: -own.total_ns)


def _pieces(
    trace: Trace, gpu: Gpu
) -> Iterator[tuple[Key, tuple[Definition | None, str, dict[str, int | str]], float]]:
    timed = [launch for launch in trace.launches if launch.duration_ns > 0]
    known = LibraryOperators(trace.convolutions, gpu.major)
    calls: dict[int, list[TracedKernel]] = defaultdict(list)
    for launch in timed:
        if launch.call >= 0 and _is_of_library(launch):
            calls[launch.call].append(launch)
    done: set[int] = set()
    for own in calls.values():
        found = _library_call(own, known)
        if found is not None:
            done.update(map(id, own))
            yield found
    for launch in timed:
        if id(launch) not in done:
            fields = launch_fields(launch)
            name = str(fields.pop("kernel"))
            yield launch_key(launch), (kernel_work(launch), name, fields), launch.duration_ns


def _is_of_library(launch: TracedKernel) -> bool:
    """Kernels that a library launched: PyTorch's own are known by their families."""
    return not family_of(launch.kernel).name and "at::native" not in launch.kernel


def _library_call(
    own: list[TracedKernel], known: LibraryOperators
) -> tuple[Key, tuple[Definition | None, str, dict[str, int | str]], float] | None:
    """None where it is not told what the library was asked, or more than one thing at once."""
    operator = own[0].operator
    works = known.works(operator, [launch.kernel for launch in own]) if operator else []
    problem = library_problem(works[0]) if len(works) == 1 else None
    if problem is None:
        return None
    time = sum(launch.duration_ns for launch in own)
    return problem_key(problem), (works[0], problem.name, dict(problem.fields)), time


def _recorded(run: Run | None) -> dict[Key, Definition]:
    """What was recorded under emulation, by what a trace shows of it."""
    found: dict[Key, Definition] = {}
    for capture in run.captures if run else ():
        for work in capture.definitions():
            key = key_of(work)
            if key is not None:
                found.setdefault(key, work)
    return found


def key_of(work: Definition) -> Key | None:
    """What a trace shows of a recorded kernel or library call; None for other work."""
    if work.kind == Kind.KERNEL:
        name = plain_name(work.text("kernel"))
        return name, dimensions(work, "grid"), dimensions(work, "block")
    problem = library_problem(work)
    return problem_key(problem) if problem else None


def problem_key(problem: LibraryProblem) -> Key:
    """Of a library call."""
    return problem.name, *sorted((name, str(value)) for name, value in problem.fields.items())


def launch_key(launch: TracedKernel) -> Key:
    """Of a kernel."""
    grid, block = ("x".join(map(str, sides)) for sides in (launch.grid, launch.block))
    return plain_name(launch.kernel), grid, block
