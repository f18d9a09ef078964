"""Drives the native engine through its plain C interface."""

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from maya.errors import ExitCode, MayaError
from maya.simulate.deadlock import explain
from maya.simulate.program import Array, Program, Settings, Timeline

_POINTER = ctypes.c_void_p
_I64 = ctypes.c_int64


class _Program(ctypes.Structure):
    _fields_ = (
        *((name, _I64) for name in ("ranks", "streams", "devices", "slots", "transfers", "links")),
        ("rank_begin", _POINTER),
        *((name, _POINTER) for name in ("op", "flags", "thread", "share", "stream", "operand")),
        *((name, _POINTER) for name in ("count", "after", "host_ns", "duration_ns")),
        *((name, _POINTER) for name in ("stream_rank", "stream_device", "stream_flags")),
        *((name, _POINTER) for name in ("members", "transfer_ranks", "transfer_ns")),
        *((name, _POINTER) for name in ("transfer_resources", "resource", "resource_share")),
    )


class _Settings(ctypes.Structure):
    _fields_ = tuple(
        (name, _I64)
        for name in (
            "launch_latency_ns",
            "gap_ns",
            "queue_limit",
            "share_links",
            "share_devices",
            "comm_share",
        )
    )


class _Result(ctypes.Structure):
    _fields_ = tuple(
        (name, _POINTER)
        for name in (
            *("start", "end", "returned", "issued"),
            *("transfer_start", "transfer_end", "next", "head"),
        )
    )


class DeadlockError(MayaError):
    """Everybody waits for somebody. `heads`: the calls at which streams stand."""

    def __init__(self, message: str, heads: Sequence[int] = ()) -> None:
        super().__init__(
            message, hint="on real GPUs this job would hang", exit_code=ExitCode.SCRIPT_FAILED
        )
        self.heads = tuple(heads)


def run(program: Program, settings: Settings) -> Timeline:
    """Simulate; DeadlockError tells who waits for what."""
    keep: list[Array] = []
    native = _program(program, keep)
    sizes = [len(program.calls)] * 4 + [len(program.transfers.ranks)] * 2
    out = [np.full(size, -1, np.int64) for size in (*sizes, program.ranks)]
    out.append(np.full(len(program.streams.rank), -1, np.int64))
    result = _Result(*(column.ctypes.data for column in out))
    constants = _Settings(*(int(getattr(settings, name)) for name, *_ in _Settings._fields_))
    status = _library().maya_engine_run(
        ctypes.byref(native), ctypes.byref(constants), ctypes.byref(result)
    )
    timeline = Timeline(*out[:6])
    if status == 1:
        reasons = explain(program, timeline, out[6], out[7])
        heads = [int(head) for head in out[7] if head >= 0]
        raise DeadlockError("the job deadlocks: " + "; ".join(reasons), heads)
    if status:
        raise MayaError("the simulator was given a malformed program", hint="please report this")
    return timeline


def _program(program: Program, keep: list[Array]) -> _Program:
    calls, streams, moves = program.calls, program.streams, program.transfers

    def column(values: Array) -> int:
        contiguous = np.ascontiguousarray(values)
        keep.append(contiguous)
        return contiguous.ctypes.data

    return _Program(
        program.ranks,
        len(streams.rank),
        program.device_count,
        program.slot_count,
        len(moves.ranks),
        moves.resource_count,
        column(program.rank_begin),
        *map(column, (calls.op, calls.flags, calls.thread, calls.share, calls.stream)),
        *map(column, (calls.operand, calls.count, calls.after, calls.host_ns, calls.duration_ns)),
        *map(column, (streams.rank, streams.device, streams.flags)),
        *map(column, (moves.members, moves.ranks, moves.duration_ns)),
        *map(column, (moves.resources_begin, moves.resource, moves.resource_share)),
    )


@cache
def _library() -> ctypes.CDLL:
    path = Path(__file__).resolve().parent.parent / "_native" / "libmaya_engine.so"
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise MayaError(
            f"the simulator's engine cannot be loaded: {error}",
            hint="`make build` builds it in a checkout; `pip install maya-sim` brings it",
        ) from error
