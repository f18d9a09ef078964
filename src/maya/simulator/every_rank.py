"""A job in which every rank is simulated: those that do the same share their calls."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from maya.errors import MayaError
from maya.hardware import Cluster
from maya.simulator.collate import Job, link_share, links_of
from maya.simulator.counterparts import Counterparts
from maya.simulator.engine import run_pieces
from maya.simulator.matching import Channel
from maya.simulator.memory_need import require_memory
from maya.simulator.program import Array, Column, Program, Settings, Shared, Streams, Transfers
from maya.simulator.variation import Spread, Variation
from maya.trace.roles import Roles

_MOST_STEPS = 254  # a piece is numbered by a byte


@dataclass(frozen=True, slots=True)
class _Channels:
    """The channels of the launched ranks, and which of their matches are whose."""

    of_match: Array
    place: Array  # of a match, within its channel
    matches: tuple[list[int], ...]
    shapes: tuple[set[int], ...]  # places among the captures of those who use the channel


def simulate_every_rank(
    job: Job, roles: Roles, cluster: Cluster, settings: Settings, variation: Variation
) -> Spread:
    """Steps of all trials."""
    program = expand(job, roles)
    require_memory(program)
    slowness = _slowness(roles, cluster, variation)
    steps: list[int] = []
    for seed in variation.seeds:
        ends = run_pieces(program, settings, jitter=variation.jitter, seed=seed, slowness=slowness)
        boundaries = np.maximum.accumulate(np.maximum(ends, 0))[: len(job.windows[0].boundaries)]
        steps += np.diff(boundaries).tolist()
    return Spread(variation, roles.ranks, tuple(steps))


def expand(job: Job, roles: Roles) -> Program:
    """The program of all ranks; calls are not copied."""
    shape = _shapes(job, roles)
    channels = _channels(job)
    firsts, transfers = _instances(job, roles, shape, channels)
    sizes = {
        "streams": [len(rank.stream_device) for rank in job.ranks],
        "devices": [int(rank.stream_device.max(initial=0)) + 1 for rank in job.ranks],
        "slots": [rank.slots for rank in job.ranks],
    }
    added = {name: _added(shape, np.array(size)) for name, size in sizes.items()}
    begin = job.program.rank_begin
    shared = Shared(
        begin=begin[:-1][shape],
        end=begin[1:][shape],
        stream=added["streams"],
        device=added["devices"],
        slot=added["slots"],
        channel=firsts,
        member_channel=channels.of_match[job.program.transfers.members].astype(np.int32),
        piece=_pieces(job),
    )
    return Program(
        rank_begin=np.zeros(len(shape) + 1, np.int64),
        calls=job.program.calls,
        streams=_streams(job, shape, added["devices"]),
        transfers=transfers,
        device_count=int(np.array(sizes["devices"])[shape].sum()),
        slot_count=int(np.array(sizes["slots"])[shape].sum()),
        shared=shared,
    )


def check_slow_nodes(cluster: Cluster, variation: Variation | None) -> None:
    """Nodes that the cluster does not have cannot be slow."""
    for node, _ in variation.slow_nodes if variation else ():
        if not 0 <= node < cluster.nodes:
            raise MayaError(
                f"there is no node {node} to be slow: {cluster.name} has nodes 0 to "
                f"{cluster.nodes - 1}",
                hint="for example --slow-node 0=1.2",
            )


def _slowness(roles: Roles, cluster: Cluster, variation: Variation) -> list[float]:
    check_slow_nodes(cluster, variation)
    slow = dict(variation.slow_nodes)
    return [slow.get(cluster.node_of(rank), 1.0) for rank in range(roles.ranks)] if slow else []


def _shapes(job: Job, roles: Roles) -> Column:
    """By rank: the place of its representative among the captures."""
    place = {
        capture.header.rank if capture.header.rank >= 0 else index: index
        for index, capture in enumerate(job.captures)
    }
    return np.array([place[rank] for rank in roles.representative], np.int64)


def _added(shape: Column, sizes: Column) -> Array:
    """What a rank's own numbers exceed those of its representative by."""
    first_of_shape = np.cumsum(sizes) - sizes
    own = sizes[shape]
    return (np.cumsum(own) - own - first_of_shape[shape]).astype(np.int32)


def _pieces(job: Job) -> Array:
    if len(job.windows[0].boundaries) > _MOST_STEPS:
        raise MayaError(
            "too many steps to simulate every rank", hint=f"record at most {_MOST_STEPS}"
        )
    parts = []
    for calls, window in zip(job.ranks, job.windows, strict=True):
        cuts = np.searchsorted(calls.rows.event, window.boundaries)
        parts.append(np.searchsorted(cuts, np.arange(len(calls.op)), side="right"))
    return np.concatenate(parts).astype(np.uint8)


def _streams(job: Job, shape: Column, device: Array) -> Streams:
    streams = job.program.streams
    own = [np.flatnonzero(streams.rank == index) for index in range(len(job.ranks))]
    which = np.concatenate([own[index] for index in shape.tolist()])
    ranks = np.repeat(np.arange(len(shape)), [len(own[index]) for index in shape.tolist()])
    return Streams(
        rank=ranks.astype(np.int32),
        device=(streams.device[which] + device[ranks]).astype(np.int32),
        flags=streams.flags[which],
    )


def _channels(job: Job) -> _Channels:
    numbers: dict[Channel, int] = {}
    matches: list[list[int]] = []
    shapes: list[set[int]] = []
    of_match = np.zeros(len(job.matches), np.int32)
    place = np.zeros(len(job.matches), np.int32)
    for index, match in enumerate(job.matches):
        number = numbers.setdefault(match.channel, len(numbers))
        if number == len(matches):
            matches.append([])
            shapes.append(set())
        of_match[index], place[index] = number, len(matches[number])
        matches[number].append(index)
        shapes[number].update(match.ranks)
    return _Channels(of_match, place, tuple(matches), tuple(shapes))


def _instances(
    job: Job, roles: Roles, shape: Column, channels: _Channels
) -> tuple[Array, Transfers]:
    """Each channel once for every group of ranks that use it; the first transfer by rank."""
    counterparts = Counterparts(roles)
    firsts = np.full((len(shape), max(1, len(channels.matches))), -1, np.int32)
    collected = _Collected([], [], [], [], [])
    total = 0
    for channel, (matches, shapes) in enumerate(
        zip(channels.matches, channels.shapes, strict=True)
    ):
        members: dict[int, list[int]] = {}
        group = job.matches[matches[0]].group
        for rank in np.flatnonzero(np.isin(shape, list(shapes))).tolist():
            number = counterparts.of(group, roles.representative[rank], rank)
            members.setdefault(number, []).append(rank)
        for number, ranks in members.items():
            firsts[ranks, channel] = total
            total += len(matches)
            collected.add(job, matches, counterparts.groups[number], Counter(shape[ranks].tolist()))
    return firsts, collected.transfers(
        channels.place[job.program.transfers.members], job.program.transfers.buffered
    )


@dataclass(frozen=True, slots=True)
class _Collected:
    ranks: list[Array]
    duration_ns: list[Array]
    links: list[Array]
    shares: list[Array]
    counts: list[Array]

    def add(self, job: Job, matches: list[int], group: tuple[int, ...], of: Counter[int]) -> None:
        """The transfers of one channel between these ranks; `of` counts them by representative."""
        first = job.matches[matches[0]]
        _, sender, receiver = first.channel
        pair = sender >= 0
        if not pair and sum(of.values()) != len(group):
            raise MayaError(
                f"of a group of {len(group)} ranks only {sum(of.values())} are known",
                hint="launch every rank: --all-ranks",
            )
        costs = [job.communication[match] for match in matches]
        ends = (group[sender], group[receiver]) if pair else group
        links = np.array(links_of(ends, pair, costs[0].over_network), np.int32)
        arriving = [sum(of[shape] for shape in job.matches[match].ranks) for match in matches]
        self.ranks.append(np.array(arriving, np.int32))
        self.duration_ns.append(np.array([cost.duration_ns for cost in costs], np.int64))
        self.links.append(np.tile(links, len(matches)))
        shares = np.array([link_share(cost) for cost in costs], np.int32)
        self.shares.append(np.repeat(shares, len(links)))
        self.counts.append(np.full(len(matches), len(links)))

    def transfers(self, members: Array, buffered: Array) -> Transfers:
        """All of them, numbered as they were added."""

        def joined(parts: list[Array], kind: type[np.generic]) -> Array:
            return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)

        links = joined(self.links, np.int32)
        return Transfers(
            members=members.astype(np.int32),
            buffered=buffered,
            ranks=joined(self.ranks, np.int32),
            duration_ns=joined(self.duration_ns, np.int64),
            resources_begin=np.concatenate(([0], np.cumsum(joined(self.counts, np.int64)))),
            resource=links,
            resource_share=joined(self.shares, np.int32),
            resource_count=int(links.max(initial=-1)) + 1,
        )
