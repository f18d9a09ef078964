"""A launch of a kernel: bytes and operations of all its blocks, from a few that are walked."""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from maya.estimate.ptx.blocks import BasicBlock, split
from maya.estimate.ptx.operations import Operations, of_block, product_type
from maya.estimate.ptx.parse import Code, parse
from maya.estimate.ptx.registers import Registers
from maya.estimate.ptx.traffic import OUTSIDE, Extent, Key
from maya.estimate.ptx.walk import Walk, Walker

# Where data decides how long a loop runs, the code still has an upper bound (a sparse attention
# mask lists at most all blocks). This share of it is assumed where nobody says another, over all
# such loops of the kernel together: what a causal mask leaves.
DATA_SHARE = 0.5
_POINTS = {1: (6,), 2: (4, 2), 3: (3, 2, 2)}


@dataclass(frozen=True, slots=True)
class PtxKernel:
    """A kernel, ready to be walked."""

    code: Code
    blocks: list[BasicBlock]
    operations: list[Operations]


@dataclass(slots=True)
class LaunchDemand:
    """What is asked of the device."""

    blocks: int
    threads: int
    per_block: Operations
    tensor_flops: dict[str, float]
    issued_bytes: float = 0.0  # requested from L2
    memory_bytes: float = 0.0  # distinct, so far as addresses tell
    again_bytes: float = 0.0  # of them, what a block reads in a later loop again
    walked_bytes: float = 0.0  # a block, read and written between one reading and the next
    trips: float = 0.0  # dependent trips to memory of one block
    guessed: bool = False
    bounded: bool = False
    extents: dict[Key, Extent] = field(default_factory=dict)
    moved: dict[Key, float] = field(default_factory=dict)
    seams: dict[Key, float] = field(default_factory=dict)  # of it, bytes that other blocks want


def is_empty(code: Code) -> bool:
    """No instruction but the end: what stands for code that no compiler was at hand for."""
    return all(instruction.op in ("ret", "exit") for instruction in code.instructions)


@lru_cache(maxsize=512)
def program(text: str, name: str) -> PtxKernel | None:
    """Parse once."""
    code = parse(text, name)
    if code is None or is_empty(code):
        return None
    blocks = split(code)
    return PtxKernel(code, blocks, [of_block(code, block) for block in blocks])


def count(
    source: PtxKernel,
    image: bytes,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    data_share: float = DATA_SHARE,
) -> LaunchDemand:
    """Walk some blocks, among them the first and last of each axis, and add up."""
    total = grid[0] * grid[1] * grid[2]
    launch = LaunchDemand(total, block[0] * block[1] * block[2], Operations(), {})
    for place, weight in samples(grid):
        registers = Registers(source.code, image, block, grid, place)
        walk = Walker(source.code, source.blocks, registers).run()
        _add(launch, source, walk, weight, data_share)
    _products(launch)
    for key, moved in launch.moved.items():
        launch.issued_bytes += moved
        launch.memory_bytes += _distinct(launch, key, moved)
    bulk = launch.per_block.bulk_bytes * total
    launch.issued_bytes += bulk
    launch.memory_bytes += bulk * 0.25 if launch.tensor_flops else bulk
    return launch


def samples(grid: tuple[int, int, int]) -> list[tuple[tuple[int, int, int], float]]:
    """Places in the grid and how many blocks each stands for; the last of an axis for itself."""
    wide = sorted((axis for axis in range(3) if grid[axis] > 1), key=lambda a: -grid[a])
    points = dict(zip(wide, _POINTS.get(len(wide), ()), strict=False))
    axes = []
    for axis in range(3):
        extent, most = grid[axis], points.get(axis, 1)
        if extent <= most:
            axes.append([(place, 1.0) for place in range(extent)])
            continue
        inner = [round(i * (extent - 2) / (most - 2)) for i in range(most - 1)] if most > 2 else [0]
        share = (extent - 1) / len(inner)
        axes.append([*((place, share) for place in inner), (extent - 1, 1.0)])
    return [
        ((x[0], y[0], z[0]), x[1] * y[1] * z[1]) for x, y, z in product(axes[0], axes[1], axes[2])
    ]


def _add(
    launch: LaunchDemand, source: PtxKernel, walk: Walk, weight: float, data_share: float
) -> None:
    share = data_share / max(1, len(walk.bounded))
    share_of_blocks = weight / launch.blocks

    def factor(block: int) -> float:
        inside = any(first <= block <= last for first, last in walk.bounded)
        return share if inside else 1.0

    for number, runs in enumerate(walk.counts):
        if runs:
            times = runs * factor(number) * share_of_blocks
            launch.per_block.add(source.operations[number], times)
            for index, flops in walk.products.items():
                if source.blocks[number].first <= index < source.blocks[number].last:
                    kind = product_type(source.code.instructions[index].parts)
                    table = launch.tensor_flops
                    table[kind] = table.get(kind, 0.0) + flops * times * launch.blocks
    for (loop, key), moved in walk.ledger.moved.items():
        scaled = moved * factor(loop) * weight
        launch.moved[key] = launch.moved.get(key, 0.0) + scaled
    for key, seams in walk.ledger.seams.items():
        launch.seams[key] = launch.seams.get(key, 0.0) + seams * weight
    _add_walks(launch, walk, weight)
    for loop, trips in walk.ledger.waits.items():
        launch.trips += trips * factor(loop) * share_of_blocks
    for key, extent in walk.ledger.extents.items():
        known = launch.extents.setdefault(key, Extent(extent.low, extent.high))
        known.widen(extent.low, extent.high)
        known.gathered |= extent.gathered
    launch.guessed |= walk.guessed or walk.cut
    launch.bounded |= bool(walk.bounded)


def _add_walks(launch: LaunchDemand, walk: Walk, weight: float) -> None:
    """What several loops of a block read through one pointer is taken as the same data. What it
    writes in loops meanwhile takes its place in L2 too."""
    loops: dict[Key, list[float]] = {}
    written = 0.0
    for (loop, key), moved in walk.ledger.moved.items():
        loops.setdefault(key, []).append(moved)
        written += moved if key[1] and loop != OUTSIDE else 0.0
    share = weight / launch.blocks
    again_bytes = launch.again_bytes
    for (_, writes), moved_by_loop in loops.items():
        again = sum(moved_by_loop) - max(moved_by_loop)
        if again > 0 and not writes:
            launch.again_bytes += again * weight
            launch.walked_bytes += max(moved_by_loop) * share
    if launch.again_bytes > again_bytes:
        launch.walked_bytes += written * share


def _products(launch: LaunchDemand) -> None:
    warps = -(-launch.threads // 32)
    for flops, groups in (
        (launch.per_block.warp_flops, warps),
        (launch.per_block.group_flops, max(1, warps // 4)),
    ):
        for kind, each in flops.items():
            added = each * groups * launch.blocks
            launch.tensor_flops[kind] = launch.tensor_flops.get(kind, 0.0) + added


def _distinct(launch: LaunchDemand, key: Key, moved: float) -> float:
    """Bytes behind one pointer that must come from memory; the rest is found in L2. Not so where
    rows of two blocks meet within a sector: in loops they come there at different times."""
    extent = launch.extents[key]
    if extent.gathered:
        # Which rows is data. Blocks of a product (attention over listed blocks) share most of them.
        return moved * (0.25 if launch.tensor_flops else 1.0)
    apart = float(max(0, extent.high - extent.low))
    return min(moved, apart + launch.seams.get(key, 0.0))
