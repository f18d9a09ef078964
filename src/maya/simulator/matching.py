"""Joins the ranks: which calls of different ranks are one collective, one send with its receive."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from maya.errors import ExitCode, MayaError
from maya.estimate.collectives import buffered_bytes
from maya.hardware import Cluster
from maya.simulator.rows import Rows
from maya.trace import Capture, Definition
from maya.trace.format import Kind
from maya.trace.problem import NCCL_TYPES, collective_bytes

# A message of this size arrives whatever the receiver expected: it fits into any of NCCL's buffers.
_SURELY_BUFFERED_BYTES = 256 * 1024

Channel = tuple[int, int, int]  # communicator, sender, receiver; -1 where there is no pair
Key = tuple[Channel, int]  # the number within the channel


@dataclass(frozen=True, slots=True)
class Communicator:
    """A process group as NCCL knows it."""

    id: int
    members: tuple[int, ...]  # ranks of the job


@dataclass(slots=True)
class Match:
    """One collective, or one pair."""

    definition: Definition
    members: tuple[int, ...]
    channel: Channel = (0, -1, -1)
    group: tuple[int, ...] = ()  # all members of the communicator
    ranks: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Matches:
    """All of them, by number, and the numbers that each rank's rows take part in."""

    all: list[Match]
    of_row: list[dict[int, int]]  # per rank: row -> match


def is_buffered(match: Match, cluster: Cluster) -> bool:
    """Whether a message can be sent before anybody receives it.

    How many such messages wait is not limited here; NCCL holds about eight for each pair.
    """
    if "peer" not in match.definition.fields:
        return False
    return collective_bytes(match.definition) <= buffered_bytes(cluster, match.group)


def communicators(capture: Capture) -> dict[int, Communicator]:
    """The communicators of a process, by its own number."""
    found = {}
    ids = {d.id: d for d in capture.definitions() if d.kind == Kind.COMM}
    for event in capture.events[np.isin(capture.events["def"], list(ids))]:
        definition = ids[int(event["def"])]
        found[definition.number("comm")] = Communicator(int(event["a"]), members_of(definition))
    return found


def members_of(communicator: Definition) -> tuple[int, ...]:
    """Ranks of the job; none where they have no numbers, as the program started them itself."""
    text = communicator.text("members")
    members = tuple(map(int, text.split(","))) if text else ()
    return () if min(members, default=0) < 0 else members


def match_calls(
    captures: Sequence[Capture], rows: Sequence[Rows], windows: Sequence[tuple[int, int]]
) -> Matches:
    """Match by communicator and order. Only calls inside the windows take part."""
    numbers: dict[Key, int] = {}
    one_ended: dict[Key, Definition] = {}
    matches = Matches([], [])
    for rank, (capture, own) in enumerate(zip(captures, rows, strict=True)):
        taken: dict[int, int] = {}
        for row, key, call in _keys(capture, own):
            if "peer" in call.definition.fields:  # in the warm-up too: it would hang there
                other = one_ended.pop(key, None)
                if other is None:
                    one_ended[key] = call.definition
                else:
                    _check_pair(other, call.definition, call.members)
            if not windows[rank][0] <= row < windows[rank][1]:
                continue
            if key not in numbers:
                numbers[key] = len(matches.all)
                matches.all.append(replace(call, ranks=[]))
            match = matches.all[numbers[key]]
            _check(match, call.definition, rank)
            match.ranks.append(rank)
            taken[row] = numbers[key]
        matches.of_row.append(taken)
    return matches


def _keys(capture: Capture, rows: Rows) -> Iterator[tuple[int, Key, Match]]:
    """Each row of a collective, with the match that it would begin."""
    comms = communicators(capture)
    ids = [d.id for d in capture.definitions() if d.kind == Kind.COLLECTIVE]
    # What a call is, is in its definition, and there are far fewer of these than calls.
    matches = {number: meant(capture.definition(number), comms) for number in ids}
    counters: Counter[Channel] = Counter()
    found = np.flatnonzero(np.isin(rows.definition, ids))
    for row, number in zip(found.tolist(), rows.definition[found].tolist(), strict=True):
        match = matches[number]
        order = counters[match.channel]
        counters[match.channel] += 1
        yield row, (match.channel, order), match


def meant(definition: Definition, comms: Mapping[int, Communicator]) -> Match:
    """The collective or pair that a call is part of."""
    number = definition.number
    comm = comms.get(number("comm"), Communicator(number("comm"), ()))
    own = number("rank")
    pair = {"ncclSend": (own, number("peer")), "ncclRecv": (number("peer"), own)}
    sender, receiver = pair.get(definition.op, (-1, -1))
    members = group = comm.members or tuple(range(number("nranks")))
    if sender >= 0:
        members = (members[sender], members[receiver])
    return Match(definition, members, (comm.id, sender, receiver), group)


def _check(match: Match, definition: Definition, rank: int) -> None:
    pair = "peer" in definition.fields
    if not pair and match.definition.op != definition.op:
        first = match.ranks[0] if match.ranks else rank
        raise MayaError(
            f"rank {rank} calls {definition.op} where rank {first} calls {match.definition.op}",
            hint="the captures are of different runs, or the program would hang on real GPUs",
        )


def _check_pair(one: Definition, other: Definition, members: tuple[int, ...]) -> None:
    sizes = collective_bytes(one), collective_bytes(other)
    if sizes[0] == sizes[1] or max(sizes) <= _SURELY_BUFFERED_BYTES or one.op == other.op:
        return
    send, receive = (one, other) if one.op == "ncclSend" else (other, one)
    raise MayaError(
        f"rank {members[0]} calls {_message(send)}, but rank {members[1]} calls"
        f" {_message(receive)}: the ends of a message differ in size",
        hint="on real GPUs this job would hang",
        exit_code=ExitCode.SCRIPT_FAILED,
    )


def _message(definition: Definition) -> str:
    name, _ = NCCL_TYPES.get(definition.number("datatype", -1), ("elements", 1))
    site = definition.text("site")
    line = f" at {site}" if site else ""
    return f"{definition.op} of {definition.number('count')} {name}{line}"


def groups(rows: Rows, taken: dict[int, int]) -> dict[int, list[int]]:
    """Rows of one NCCL group on one stream, under the first of them; rows alone stand alone."""
    leaders: dict[tuple[int, int], int] = {}
    grouped: dict[int, list[int]] = defaultdict(list)
    for row in sorted(taken):
        number, stream = int(rows.b[row]), int(rows.stream[row])
        leader = leaders.setdefault((number, stream), row) if number else row
        grouped[leader].append(row)
    return grouped


def row_range(rows: Rows, begin: int, end: int) -> tuple[int, int]:
    """Rows of the events from begin to end."""
    first, last = np.searchsorted(rows.event, (begin, end))
    return int(first), int(last)
