"""The answer in one line that a person can repeat, and the few figures beside it."""

from dataclasses import dataclass

from maya.report.quantities import duration, size, step_price
from maya.summary import Summary
from maya.units import GIB


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure with its name, and what it means below it."""

    name: str
    value: str
    meaning: str = ""


def answer_line(summary: Summary) -> str:
    """For example: a step takes 44.8 ms on one H100, 274,320 tokens a second; it fits."""
    if summary.memory.oom:
        missing = size(summary.memory.missing_bytes)
        return f"It does not fit on {_gpus(summary)}: at least {missing} of memory are missing."
    if summary.step is None:
        return f"There is no step to predict: {summary.no_step}."
    rate = _rate(summary)
    fits = f"{summary.memory.peak_reserved_bytes / GIB:.1f} of {_capacity(summary)} are used"
    return (
        f"A step takes {duration(summary.step.time_ms)} on {_gpus(summary)}"
        f"{f', {rate}' if rate else ''}; {fits}."
    )


def facts(summary: Summary) -> list[Fact]:
    """Those that there are."""
    found = [*_time_facts(summary), _memory_fact(summary)]
    if summary.gpus_used < summary.gpus:
        used = f"{summary.gpus_used:,} of {summary.gpus:,} used"
        found.append(Fact("GPUs", used, "all are paid for: name a smaller cluster"))
    if summary.cost.usd_per_hour is not None:
        step = summary.cost.usd_per_step
        meaning = step_price(step) if step is not None else ""
        found.append(Fact("cost", f"${summary.cost.usd_per_hour:,.2f} an hour", meaning))
    return found


def _time_facts(summary: Summary) -> list[Fact]:
    step, device, host = summary.step, summary.device, summary.host
    if step is None or device is None or host is None:
        return []
    interval = f"{duration(step.low_ms)} to {duration(step.high_ms)} ({step.coverage:.0%} interval)"
    busy = f"device busy {duration(device.busy_ms)}, host {duration(host.busy_ms)}"
    found = [Fact("step", duration(step.time_ms), interval)]
    if rate := _rate(summary):
        samples = summary.throughput.samples_per_s
        also = f"{samples:,.1f} samples a second" if samples else ""
        found.append(Fact("throughput", rate, "" if also == rate else also))
    found.append(Fact("MFU", f"{summary.mfu or 0.0:.1%}", "of the GPU's peak is useful work"))
    found.append(Fact("bound by", f"{host.bound}", busy))
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


def _rate(summary: Summary) -> str:
    rates = summary.throughput
    if rates.tokens_per_s:
        return f"{rates.tokens_per_s:,.0f} tokens a second"
    return f"{rates.samples_per_s:,.1f} samples a second" if rates.samples_per_s else ""


def _capacity(summary: Summary) -> str:
    each = " each" if summary.gpus_used > 1 else ""
    return f"{summary.memory.capacity_bytes / GIB:.0f} GiB{each}"


def _gpus(summary: Summary) -> str:
    gpu = summary.cluster.gpu.name.removeprefix("NVIDIA ")
    return f"one {gpu}" if summary.gpus_used == 1 else f"{summary.gpus_used:,} x {gpu}"
