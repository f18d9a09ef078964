"""Drives the native engine through its plain C interface."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from maya.engine_library import engine_library
from maya.errors import ExitCode, MayaError
from maya.simulator.deadlock import explain
from maya.simulator.program import Array, Column, Program, Settings, Timeline
from maya.simulator.variation import ONE

_POINTER = ctypes.c_void_p
_I64 = ctypes.c_int64
_PIECES = 256  # of MayaResult::piece_end_ns


class _Program(ctypes.Structure):
    _fields_ = (
        *((name, _I64) for name in ("ranks", "streams", "devices", "slots", "transfers", "links")),
        *((name, _POINTER) for name in ("rank_begin", "rank_end", "rank_stream", "rank_device")),
        *((name, _POINTER) for name in ("rank_slot", "rank_channel")),
        ("channels", _I64),
        *((name, _POINTER) for name in ("op", "flags", "thread", "share", "stream", "operand")),
        *((name, _POINTER) for name in ("count", "after", "host_ns", "duration_ns", "piece")),
        *((name, _POINTER) for name in ("stream_rank", "stream_device", "stream_flags")),
        *((name, _POINTER) for name in ("members", "member_channel", "member_buffered")),
        *((name, _POINTER) for name in ("transfer_ranks", "transfer_ns")),
        *((name, _POINTER) for name in ("transfer_resources", "resource", "resource_share")),
    )


_CONSTANTS = tuple(field.name for field in fields(Settings))


class _Settings(ctypes.Structure):
    _fields_ = (
        *((name, _I64) for name in _CONSTANTS),
        ("jitter", _I64),
        ("seed", _I64),
        ("rank_slowness", _POINTER),
    )


class _Result(ctypes.Structure):
    _fields_ = tuple(
        (name, _POINTER)
        for name in (
            *("start", "end", "returned", "issued"),
            *("transfer_start", "transfer_end", "next", "head", "pieces"),
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
    calls = len(program.calls)
    # In one piece, which the kernel gives in huge pages: small ones cost a fifth of a simulation.
    out = list(np.empty((4, calls), np.int64))
    sizes = [len(program.transfers.ranks)] * 2 + [program.ranks, len(program.streams.rank)]
    out += [np.full(size, -1, np.int64) for size in sizes]
    result = _Result(*(column.ctypes.data for column in out))
    constants = _Settings(*(int(getattr(settings, name)) for name in _CONSTANTS))
    status = engine_library().maya_engine_run(
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


def run_pieces(
    program: Program,
    settings: Settings,
    *,
    jitter: float = 0.0,
    seed: int = 0,
    slowness: Sequence[float] = (),
) -> Column:
    """When each piece of a program of ranks that share calls ended; nothing else is kept."""
    keep: list[Array] = []
    native = _program(program, keep)
    ends = np.full(_PIECES, -1, np.int64)
    stands = [np.full(size, -1, np.int64) for size in (program.ranks, len(program.streams.rank))]
    slow = np.rint(np.array(slowness) * ONE).astype(np.int64)
    constants = _Settings(
        *(int(getattr(settings, name)) for name in _CONSTANTS),
        round(jitter * ONE),
        seed,
        slow.ctypes.data if len(slow) else None,
    )
    result = _Result(*[None] * 6, *(array.ctypes.data for array in (*stands, ends)))
    status = engine_library().maya_engine_run(
        ctypes.byref(native), ctypes.byref(constants), ctypes.byref(result)
    )
    if status == 1:
        raise DeadlockError("the job deadlocks when every rank is simulated")
    if status:
        raise MayaError("the simulator was given a malformed program", hint="please report this")
    return ends


def _program(program: Program, keep: list[Array]) -> _Program:
    calls, streams, moves = program.calls, program.streams, program.transfers
    shared = program.shared

    def column(values: Array | None) -> int | None:
        if values is None:
            return None
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
        *_ranks(program, column),
        *map(column, (calls.op, calls.flags, calls.thread, calls.share, calls.stream)),
        *map(column, (calls.operand, calls.count, calls.after, calls.host_ns, calls.duration_ns)),
        column(shared.piece if shared else None),
        *map(column, (streams.rank, streams.device, streams.flags)),
        *map(column, (moves.members, shared.member_channel if shared else None, moves.buffered)),
        *map(column, (moves.ranks, moves.duration_ns)),
        *map(column, (moves.resources_begin, moves.resource, moves.resource_share)),
    )


def _ranks(
    program: Program, column: Callable[[Array | None], int | None]
) -> tuple[int | None, ...]:
    shared = program.shared
    if shared is None:
        begin, end = program.rank_begin[:-1], program.rank_begin[1:]
        return column(begin), column(end), None, None, None, None, 0
    columns = shared.begin, shared.end, shared.stream, shared.device, shared.slot, shared.channel
    return *map(column, columns), shared.channel.shape[1]
