"""The few figures beside the answer."""

from dataclasses import dataclass

from maya.report.answer import rate_text
from maya.report.quantities import duration, size, step_price
from maya.report.text import BOUND
from maya.summary import Summary


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure with its name, and what it means below it."""

    name: str
    value: str
    meaning: str = ""


def facts(summary: Summary) -> list[Fact]:
    """Those that there are."""
    found = [*_time_facts(summary), _memory_fact(summary)]
    if summary.gpus_used < summary.gpus:
        used = f"{summary.gpus_used:,} of {summary.gpus:,} used"
        found.append(Fact("GPUs", used, "all are paid for: name a smaller cluster"))
    if summary.cost.usd_per_hour is not None:
        step = summary.cost.usd_per_step
        meaning = f"an hour; {step_price(step)}" if step is not None else "an hour"
        found.append(Fact("cost", f"${summary.cost.usd_per_hour:,.2f}", meaning))
    return found


def _time_facts(summary: Summary) -> list[Fact]:
    step, device, host = summary.step, summary.device, summary.host
    if step is None or device is None or host is None:
        return []
    interval = f"{duration(step.low_ms)} to {duration(step.high_ms)} ({step.coverage:.0%} interval)"
    busy = f"GPU busy {duration(device.busy_ms)}, CPU {duration(host.busy_ms)}"
    found = [Fact("step", duration(step.time_ms), interval)]
    if rate := rate_text(summary):
        value, _, unit = rate.partition(" ")
        samples = summary.throughput.samples_per_s
        also = f"{samples:,.1f} {summary.throughput.sample_unit} a second" if samples else ""
        found.append(Fact("throughput", value, unit if also in ("", rate) else f"{unit}; {also}"))
    found.append(Fact("MFU", f"{summary.mfu or 0.0:.1%}", "of the GPU's peak is useful work"))
    found.append(Fact("bound by", BOUND[host.bound], busy))
    moved = summary.communication
    if moved is not None and moved.total_ms:
        meaning = f"of {duration(moved.total_ms)}, with waiting for peers"
        found.append(Fact("exposed communication", duration(moved.exposed_ms), meaning))
    return found


def _memory_fact(summary: Summary) -> Fact:
    memory = summary.memory
    if memory.oom:
        return Fact("memory", "does not fit", f"{size(memory.missing_bytes)} missing at least")
    room = f"{size(max(0, memory.head_room_bytes))} free on the fullest GPU"
    return Fact("memory", size(memory.peak_reserved_bytes), room)
