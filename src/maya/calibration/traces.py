"""Reads traces of either profiler, and finds out which GPU they are of."""

from collections.abc import Sequence
from pathlib import Path

from maya.calibration.kineto import read_kineto
from maya.calibration.nsys import MAGIC, read_nsys
from maya.calibration.spans import Trace, bad_trace
from maya.errors import MayaError
from maya.hardware import Gpu, find_gpu


def read_traces(paths: Sequence[Path]) -> list[Trace]:
    """Each file by what it holds, not by what it is called."""
    if not paths:
        raise MayaError("no trace was given", hint="maya calibrate TRACE...")
    return [_read(path) for path in paths]


def gpu_of(traces: Sequence[Trace], given: Gpu | None) -> Gpu:
    """The one GPU of all traces; MayaError where they differ, or name another than was given."""
    named = {trace.gpu: trace for trace in traces if trace.gpu}
    found = {gpu.id: gpu for gpu in map(_known, named.values()) if gpu}
    unknown = [name for name, trace in named.items() if _known(trace) is None]
    models = [*sorted(found), *map(repr, sorted(unknown))]
    if len(models) > 1:
        raise MayaError(
            f"the traces are of different GPUs: {', '.join(models)}",
            hint="calibrate each by itself",
        )
    told = next(iter(found.values()), None)
    if given is None:
        if told is None:
            raise MayaError(
                f"which GPU was traced? {_why(unknown)}", hint="name it: --gpu v100-32, for example"
            )
        return told
    if told and told.id != given.id:
        raise MayaError(
            f"the trace is of {told.name}, not of {given.name}",
            hint=f"measurements of one GPU say nothing of another: --gpu {told.id}",
        )
    return given


def _read(path: Path) -> Trace:
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise bad_trace(path, f"cannot be read: {error.strerror}") from error
    trace = read_nsys(path) if start == MAGIC else read_kineto(path)
    if not trace.launches:
        raise bad_trace(path, "holds no kernels: was CUDA among the profiler's activities?")
    return trace


def _known(trace: Trace) -> Gpu | None:
    try:
        return find_gpu(trace.gpu)
    except MayaError:
        return None


def _why(unknown: list[str]) -> str:
    if unknown:
        return f"{unknown[0]!r} is not in the catalogue"
    return "the trace does not tell"
