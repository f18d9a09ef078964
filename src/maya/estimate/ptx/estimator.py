"""Kernels whose PTX was recorded: Triton's, and others that a program compiled for itself."""

from maya.estimate.cost import cache_misses, floor_ns, stream_ns
from maya.estimate.kernels.launch import blocks_per_sm
from maya.estimate.masks import MaskDensity
from maya.estimate.parameters import device_parameters
from maya.estimate.power import busy_clock_mhz
from maya.estimate.ptx.count import LaunchDemand, count, program
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import Kind
from maya.units import NS_PER_S

# Chosen from the hardware's documentation, with one number fitted: results a clock and SM, CUDA C++
# programming guide, arithmetic instructions. Machine code folds one in six of PTX's integer
# instructions into others: solved from KernelBench's compiled pooling on H100 (1D and 2D alike).
_INTEGER_LANES = 64.0 / 0.84
_SPECIAL_LANES = 16.0
_ACCESS_LANES = 32.0
_ISSUE_LANES = 128.0  # four schedulers, a warp each
_SHARED_BYTES = 128.0
_L2_BYTES = 0.45 * 64.0  # a clock and SM: the port's width, times what all SMs get at once
_TRIP_NS = 650.0  # a load from memory until its value is used
_BARRIER_NS = 20.0
_START_NS = 300.0  # a block until its first load, and from its last store to its end
# Of the tensor cores' peak in a well-fed loop: asynchronous groups (wgmma, tcgen05) and warps.
_GROUP_EFFICIENCY = 0.75
_WARP_EFFICIENCY = 0.70
_HOPPER_WARP_EFFICIENCY = 0.45  # mma.sync reaches about six tenths of what wgmma does
_PIPELINED = 0.25  # of a trip that copies ahead of use (cp.async) still show
_UNREADABLE = (ArithmeticError, IndexError, TypeError, ValueError)
# Uncertainty. Code that moves each byte once at the pace of memory is known best; what is read
# again, or bound by pipes and waiting, has errors twice as wide in KernelBench's compiled rows.
_EXACT, _WALKED, _GUESSED, _BOUNDED = 0.15, 0.3, 0.35, 0.5
_MOSTLY = 0.9  # of the time, that memory alone would take


class PtxEstimator:
    """Bytes and operations that the code issues, over the rates of the device."""

    def __init__(self, *, mangled: bool = False, masks: MaskDensity | None = None) -> None:
        self.mangled = mangled  # C++ kernels too, which others may know by name
        self.masks = masks or MaskDensity()  # for loops that end where data says

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where no code was recorded or it cannot be read."""
        if work.kind != Kind.KERNEL or not work.text("code"):
            return None
        name = work.text("kernel")
        if name.startswith("_Z") and not self.mangled:
            return None
        source = program(work.text("code"), name)
        if source is None:
            return None
        grid, block = _dimensions(work, "grid"), _dimensions(work, "block")
        try:
            launch = count(source, work.blob, grid, block, self.masks.of(work))
        except _UNREADABLE:
            return (
                None  # hand-written code beyond what compilers emit; the next estimator bounds it
            )
        if self.masks.is_known(work):
            launch.guessed |= launch.bounded  # how blocks fall to rows
            launch.bounded = False
        return estimate_launch(launch, work, device)


def estimate_launch(launch: LaunchDemand, work: Definition, device: Gpu) -> Estimate:
    """A smooth maximum of memory, L2, pipes and latency."""
    fitted = device_parameters(device)
    moved = launch.memory_bytes + _read_again(launch, work, device)
    memory = float(stream_ns(moved, device, fitted))
    l2_rate = _L2_BYTES * device.sm_count * device.clock_mhz * 1e6
    l2 = launch.issued_bytes / l2_rate * NS_PER_S
    parts = (memory, l2, _pipes_ns(launch, device), _latency_ns(launch, work, device))
    busy = sum(part**4 for part in parts) ** 0.25
    streams = memory > _MOSTLY * busy and not launch.again_bytes
    known = _EXACT if streams else _WALKED
    uncertainty = _BOUNDED if launch.bounded else _GUESSED if launch.guessed else known
    return Estimate(
        max(1, round(floor_ns(device) + busy)),
        Source.ANALYTICAL,
        uncertainty,
        flops=sum(launch.tensor_flops.values()),
        bytes=moved,
        data_decides=launch.bounded,
    )


def _read_again(launch: LaunchDemand, work: Definition, device: Gpu) -> float:
    """Bytes that a later walk does not find in L2 any more: rows in flight have pushed them out.

    Tiles of products are shared between blocks, which the distinct bytes stand for.
    """
    if launch.tensor_flops:
        return 0.0
    slots = blocks_per_sm(work, launch.threads, device) * device.sm_count
    in_flight = min(launch.blocks, slots) * launch.walked_bytes
    return launch.again_bytes * float(cache_misses(in_flight, device, device_parameters(device)))


def _pipes_ns(launch: LaunchDemand, device: Gpu) -> float:
    """The busiest pipe of the busiest SM."""
    each, threads = launch.per_block, launch.threads
    fused_lanes = device.flops_per_s["fp32"] / (2e6 * device.clock_mhz * device.sm_count)
    issued = each.fused + each.integer + each.special + each.accesses
    cycles = max(
        threads * each.fused / fused_lanes,
        threads * each.integer / _INTEGER_LANES,
        threads * each.special / _SPECIAL_LANES,
        threads * each.accesses / _ACCESS_LANES,
        threads * issued / _ISSUE_LANES,
        threads * each.shared_bytes / _SHARED_BYTES,
    )
    blocks = -(-launch.blocks // device.sm_count)
    scalar_ns = blocks * cycles / busy_clock_mhz(device) * 1e3
    return float((scalar_ns**4 + _tensor_ns(launch, device) ** 4) ** 0.25)


def _tensor_ns(launch: LaunchDemand, device: Gpu) -> float:
    total = 0.0
    for kind, flops in launch.tensor_flops.items():
        rates = device.flops_per_s
        peak = rates.get(kind) or rates.get("fp16") or rates["fp32"]
        share = _GROUP_EFFICIENCY
        if kind in launch.per_block.warp_flops:
            share = _HOPPER_WARP_EFFICIENCY if device.major == 9 else _WARP_EFFICIENCY
        rounds = -(-launch.blocks // device.sm_count)
        total += flops / launch.blocks * rounds * device.sm_count / (peak * share) * NS_PER_S
    return total


def _latency_ns(launch: LaunchDemand, work: Definition, device: Gpu) -> float:
    """Waves of blocks, each as long as its dependent trips to memory."""
    each = launch.per_block
    pipelined = each.barriers * _PIPELINED if launch.tensor_flops else 0.0
    trips = max(1.0, launch.trips) + pipelined
    alone_ns = _START_NS + trips * _TRIP_NS + each.barriers * _BARRIER_NS
    resident = blocks_per_sm(work, launch.threads, device)
    waves = -(-launch.blocks // (device.sm_count * resident))
    return waves * alone_ns


def _dimensions(work: Definition, prefix: str) -> tuple[int, int, int]:
    x, y, z = (max(1, work.number(f"{prefix}_{axis}", 1)) for axis in "xyz")
    return x, y, z
