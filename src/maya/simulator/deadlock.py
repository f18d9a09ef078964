"""Says who waits for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from maya.simulator.program import Column, Op, Program, Timeline

if TYPE_CHECKING:
    from maya.simulator.collate import Job

_SHOWN = 6


def explain(
    program: Program, timeline: Timeline, rank_next: Column, stream_head: Column
) -> list[str]:
    """One sentence for each stream and host that cannot go on."""
    heads = [_stream(program, timeline, index, head) for index, head in enumerate(stream_head)]
    reasons = [text for text in heads if text]
    reasons += [text for rank in range(program.ranks) if (text := _host(program, rank, rank_next))]
    more = len(reasons) - _SHOWN
    return reasons[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])


def _stream(program: Program, timeline: Timeline, index: int, head: int) -> str:
    if head < 0:
        return ""
    calls, rank = program.calls, int(program.streams.rank[index])
    where = f"stream {index} of rank {rank} stands at call {head - program.rank_begin[rank]}"
    if calls.op[head] == Op.WAIT:
        return f"{where}, waiting for event {calls.operand[head]}, which is never recorded"
    if calls.op[head] != Op.COLLECTIVE:
        return where
    first = int(calls.operand[head])
    members = program.transfers.members[first : first + int(calls.count[head])]
    waiting = [int(m) for m in members if timeline.transfer_start_ns[m] < 0]
    return f"{where}: " + ", ".join(_transfer(program, timeline, m) for m in waiting[:2])


def _transfer(program: Program, timeline: Timeline, number: int) -> str:
    """Which ranks reached a collective and which did not."""
    calls, moves = program.calls, program.transfers
    arrived: list[int] = []
    missing: list[int] = []
    for call in np.flatnonzero(calls.op == Op.COLLECTIVE):
        first = int(calls.operand[call])
        if number in moves.members[first : first + int(calls.count[call])]:
            rank = int(np.searchsorted(program.rank_begin, call, side="right")) - 1
            (arrived if timeline.start_ns[call] >= 0 else missing).append(rank)
    absent = int(moves.ranks[number]) - len(arrived) - len(missing)
    text = f"collective {number} has rank {_list(arrived)} and lacks rank {_list(missing)}"
    return text + (f" and {absent} that never call it" if absent else "")


def _host(program: Program, rank: int, rank_next: Column) -> str:
    call = int(rank_next[rank])
    if call >= program.rank_begin[rank + 1]:
        return ""
    name = Op(int(program.calls.op[call])).name.lower()
    return f"the host of rank {rank} stands at call {call - program.rank_begin[rank]} ({name})"


def _list(ranks: list[int]) -> str:
    return ", ".join(map(str, ranks)) or "none"


def deadlock_text(job: Job, heads: Sequence[int]) -> str:
    """The calls at which streams stand, in the program's own terms."""
    calls = [call for call in heads if job.program.calls.op[call] == Op.COLLECTIVE]
    texts = dict.fromkeys(_recorded(job, call) for call in calls or heads)
    shown = "; ".join(list(texts)[:_SHOWN])
    return "the job deadlocks: " + (shown or "no rank can go on")


def _recorded(job: Job, call: int) -> str:
    index = int(np.searchsorted(job.program.rank_begin, call, side="right")) - 1
    own = call - int(job.program.rank_begin[index])
    capture = job.captures[index]
    rank = capture.header.rank if capture.header.rank >= 0 else index
    number = int(job.ranks[index].rows.definition[own])
    if number <= 0:
        return f"rank {rank} stands at call {own}"
    definition = capture.definition(number)
    peer = f" with member {definition.number('peer')}" if "peer" in definition.fields else ""
    site = definition.text("site")
    line = f" at {site}" if site else ""
    return f"rank {rank} waits in {definition.op}{peer}{line} (call {own})"
