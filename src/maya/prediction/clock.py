"""What the virtual clock of a run follows: the target's host and device."""

from functools import partial
from pathlib import Path

from maya.analyze import Options
from maya.analyze.host_pace import crowded, host_pace
from maya.emulator.virtual_clock import HostCosts, VirtualClock
from maya.emulator.yardstick import quiet_round_ns
from maya.errors import MayaError
from maya.estimate.sustained import load_parameters, slowest
from maya.hardware import Cluster
from maya.prediction.live_durations import LiveDurations
from maya.simulator.settings import settings_for
from maya.simulator.work import call_ns, member_check_ns
from maya.summary import PredictionOptions
from maya.trace.format import Kind


def chosen_clock(name: str, target: Cluster, asked: PredictionOptions) -> VirtualClock | None:
    """The clock of this name; None for that of the emulating machine."""
    if name not in ("real", "virtual"):
        raise MayaError(f"there is no clock {name!r}", hint="real or virtual")
    return virtual_clock(target, asked) if name == "virtual" else None


def virtual_clock(target: Cluster, asked: PredictionOptions) -> VirtualClock:
    """A clock that shows the time of a program on this target."""

    def durations(run_dir: Path, ranks: int) -> LiveDurations:
        known = load_parameters(target.gpu)
        lag = slowest(ranks, known) if known and not asked.ideal else 0.0
        return LiveDurations(run_dir, Options.of(asked).durations(), target, lag)

    return VirtualClock(partial(_host_costs, target, asked.host_scale), durations)


def _host_costs(target: Cluster, scale: float, ranks: int) -> HostCosts:
    shared = crowded(target, ranks)
    settings = settings_for(shared)
    costs = {str(kind.value): call_ns(kind, shared) for kind in Kind}
    costs |= {
        "launch": settings.launch_latency_ns,
        "gap": settings.gap_ns,
        "queue": settings.queue_limit,
        "communication": settings.comm_share,
        "check_member": member_check_ns(shared),
    }
    return HostCosts(
        pace=scale * host_pace(shared.host, quiet_round_ns()),
        costs_ns={name: ns for name, ns in costs.items() if ns},
    )
