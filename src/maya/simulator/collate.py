"""All ranks of a run as one program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.errors import MayaError
from maya.estimate.collectives import CollectiveCall, CollectiveEstimate
from maya.hardware import Cluster
from maya.rundir import RankFacts
from maya.simulator.graphs import expand_graphs
from maya.simulator.host_cost import modelled_cpu_ns
from maya.simulator.lower import RankCalls, lower
from maya.simulator.matching import Match, groups, is_buffered, match_calls, row_range
from maya.simulator.program import WHOLE_SHARE, Array, Calls, Op, Program, Streams, Transfers
from maya.simulator.rows import I64, Rows, read_rows
from maya.simulator.steps import Window, find_windows
from maya.simulator.work import DefinitionTable, Estimates, tabulate_definitions
from maya.trace import Capture
from maya.trace.problem import collective_bytes

Communication = Callable[[CollectiveCall], CollectiveEstimate]


@dataclass(frozen=True, slots=True)
class Job:
    """A program, and where its parts come from."""

    program: Program
    captures: tuple[Capture, ...]
    windows: tuple[Window, ...]
    ranks: tuple[RankCalls, ...]
    definition_tables: tuple[DefinitionTable, ...]
    matches: tuple[Match, ...]
    communication: tuple[CollectiveEstimate, ...]  # per match
    leader: npt.NDArray[np.int64]  # per call: the call that stands for its group


def collate(
    captures: Sequence[Capture],
    cluster: Cluster,
    estimates: Estimates,
    communication: Communication,
    host_scale: float = 1.0,
    ranks: RankFacts | None = None,
) -> Job:
    """Read, translate and join the captures of a run; `ranks`: where not all were launched."""
    windows = find_windows(captures)
    _same_steps(captures, windows)
    recorded = [read_rows(capture) for capture in captures]
    cpu_ns = [_scaled(own, host_scale) for own in modelled_cpu_ns(captures, recorded)]
    rows = [
        expand_graphs(c, _until(r, w.end), w.begin)
        for c, r, w in zip(captures, recorded, windows, strict=True)
    ]
    ranges = [row_range(r, w.begin, w.end) for r, w in zip(rows, windows, strict=True)]
    matches = match_calls(captures, rows, ranges)
    definition_tables = [tabulate_definitions(capture, estimates, cluster) for capture in captures]
    lowered = [
        lower(c, r, w, m, own)
        for c, r, w, m, own in zip(captures, rows, windows, definition_tables, cpu_ns, strict=True)
    ]
    costs = _costs(matches.all, cluster, communication)
    # Rows were numbered over the whole capture; calls count from the window's beginning.
    taken = [
        {row - begin: number for row, number in own.items()}
        for own, (begin, _) in zip(matches.of_row, ranges, strict=True)
    ]
    calls, leader, members = _join(lowered, taken)
    buffered = _buffered(captures, lowered, taken, [is_buffered(m, cluster) for m in matches.all])
    begin = np.cumsum([0, *(len(rank.op) for rank in lowered)]).astype(np.int64)
    program = Program(
        rank_begin=begin,
        calls=calls,
        streams=_streams(lowered),
        transfers=_transfers(matches.all, costs, members, buffered, _present(ranks)),
        device_count=int(sum(_devices(rank) for rank in lowered)),
        slot_count=sum(rank.slots for rank in lowered),
    )
    return Job(
        program,
        tuple(captures),
        tuple(windows),
        tuple(lowered),
        tuple(definition_tables),
        tuple(matches.all),
        costs,
        leader,
    )


def _until(rows: Rows, event: int) -> Rows:
    """What comes later shows the pace of the host and nothing else."""
    return rows.take(slice(int(np.searchsorted(rows.event, event))))


def _scaled(cpu_ns: I64, factor: float) -> I64:
    scaled: I64 = np.rint(cpu_ns * factor).astype(np.int64)
    return scaled


def _costs(
    matches: Sequence[Match], cluster: Cluster, communication: Communication
) -> tuple[CollectiveEstimate, ...]:
    """Calls of one definition cost the same."""
    known: dict[int, CollectiveEstimate] = {}
    for match in matches:
        if id(match.definition) not in known:
            known[id(match.definition)] = communication(_call(match, cluster))
    return tuple(known[id(match.definition)] for match in matches)


def _call(match: Match, cluster: Cluster) -> CollectiveCall:
    if max(match.members) >= cluster.gpus:
        raise MayaError(
            f"the run has a rank {max(match.members)}, but {cluster.name} has {cluster.gpus} GPUs",
            hint="name a cluster with at least as many GPUs as the run has ranks",
        )
    return CollectiveCall(match.definition.op, collective_bytes(match.definition), match.members)


def _same_steps(captures: Sequence[Capture], windows: Sequence[Window]) -> None:
    counts = {c.header.rank: len(w.boundaries) - 1 for c, w in zip(captures, windows, strict=True)}
    if len(set(counts.values())) > 1:
        most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
        raise MayaError(
            f"rank {most} has {counts[most]} measured steps, but rank {least} has {counts[least]}",
            hint="a rank ended early, or ranks do different numbers of steps",
        )


def _present(ranks: RankFacts | None) -> frozenset[int] | None:
    """Ranks with a capture of their own, where some have none."""
    return frozenset(ranks.represents) if ranks and ranks.virtual else None


def _devices(rank: RankCalls) -> int:
    return int(rank.stream_device.max(initial=0)) + 1


def _join(
    ranks: list[RankCalls], taken: list[dict[int, int]]
) -> tuple[Calls, npt.NDArray[np.int64], list[int]]:
    members: list[int] = []
    columns: dict[str, list[npt.NDArray[np.int64]]] = {name: [] for name in Calls.__slots__}
    leaders: list[npt.NDArray[np.int64]] = []
    base, streams, devices, slots = 0, 0, 0, 0
    for rank, own in zip(ranks, taken, strict=True):
        op, count, operand = rank.op.copy(), np.zeros(len(rank.op), np.int64), rank.operand + slots
        leader = np.arange(len(rank.op))
        op[op == Op.COLLECTIVE] = Op.HOST
        for first, group in groups(rank.rows, own).items():
            op[first], operand[first], count[first] = Op.COLLECTIVE, len(members), len(group)
            members += [own[row] for row in group]
            leader[group] = first
        leaders.append(leader + base)
        on_device = op == Op.SYNC_DEVICE
        made = {
            "op": op,
            "flags": rank.flags,
            "thread": rank.rows.thread,
            "share": rank.share,
            "stream": rank.stream + np.where(on_device, devices, streams),
            "operand": operand,
            "count": count,
            "after": np.where(rank.after >= 0, rank.after + base, -1),
            "host_ns": rank.host_ns,
            "duration_ns": rank.duration_ns,
        }
        for name, column in made.items():
            columns[name].append(column)
        base += len(op)
        streams += len(rank.stream_device)
        devices += _devices(rank)
        slots += rank.slots
    return Calls(**_typed(columns)), np.concatenate(leaders), members


_TYPES = {"op": np.uint8, "flags": np.uint8, "thread": np.uint16, "share": np.uint16}
_WIDE = ("host_ns", "duration_ns")


def _typed(columns: dict[str, list[npt.NDArray[np.int64]]]) -> dict[str, Array]:
    kinds = {name: _TYPES.get(name, np.int64 if name in _WIDE else np.int32) for name in columns}
    return {name: np.concatenate(parts).astype(kinds[name]) for name, parts in columns.items()}


def _streams(ranks: list[RankCalls]) -> Streams:
    first = np.cumsum([0, *(_devices(rank) for rank in ranks)])
    return Streams(
        rank=np.concatenate(
            [np.full(len(rank.stream_device), index) for index, rank in enumerate(ranks)]
        ).astype(np.int32),
        device=np.concatenate(
            [rank.stream_device + first[index] for index, rank in enumerate(ranks)]
        ).astype(np.int32),
        flags=np.concatenate([rank.stream_flags for rank in ranks]).astype(np.uint8),
    )


def _buffered(
    captures: Sequence[Capture],
    ranks: list[RankCalls],
    taken: list[dict[int, int]],
    buffered: list[bool],
) -> list[bool]:
    """For each member of a call, whether it sends a message that fits NCCL's buffers."""
    return [
        buffered[own[row]] and _sends(capture, rank, row)
        for capture, rank, own in zip(captures, ranks, taken, strict=True)
        for group in groups(rank.rows, own).values()
        for row in group
    ]


def _sends(capture: Capture, rank: RankCalls, row: int) -> bool:
    return capture.definition(int(rank.rows.definition[row])).op == "ncclSend"


def _transfers(
    matches: list[Match],
    costs: Sequence[CollectiveEstimate],
    members: list[int],
    buffered: list[bool],
    present: frozenset[int] | None,
) -> Transfers:
    """Links of virtual ranks carry what those of their representatives carry: they are left out."""
    links: list[tuple[int, int]] = []
    begin = [0]
    for match, cost in zip(matches, costs, strict=True):
        pair, share = "peer" in match.definition.fields, link_share(cost)
        used = links_of(match.members, pair, cost.over_network)
        links += [(link, share) for link in used if present is None or link // 4 in present]
        begin.append(len(links))
    return Transfers(
        members=np.array(members, np.int32),
        buffered=np.array(buffered, np.uint8),
        ranks=np.array([len(match.ranks) for match in matches], np.int32),
        duration_ns=np.array([cost.duration_ns for cost in costs], np.int64),
        resources_begin=np.array(begin, np.int64),
        resource=np.array([link for link, _ in links], np.int32),
        resource_share=np.array([share for _, share in links], np.int32),
        resource_count=max((link for link, _ in links), default=-1) + 1,
    )


def links_of(members: tuple[int, ...], pair: bool, over_network: bool) -> list[int]:
    """Each GPU has a link out and a link in, to its node and to the network.

    The first of a pair sends, the second receives.
    """
    base = 2 if over_network else 0
    if pair:
        return [4 * gpu + base + position for position, gpu in enumerate(members)]
    return [4 * gpu + base + direction for gpu in members for direction in (0, 1)]


def link_share(cost: CollectiveEstimate) -> int:
    """Of a link that a transfer keeps busy alone."""
    return max(1, round(WHOLE_SHARE * cost.link_share))
