"""The answer in one line that a person can repeat."""

from maya.report.quantities import duration, of_capacity, size
from maya.summary import Summary


def answer_line(summary: Summary) -> str:
    """For example: a step takes 44.8 ms on one H100, 274,320 tokens a second; it fits."""
    if summary.memory.oom:
        missing = size(summary.memory.missing_bytes)
        return f"It does not fit on {_gpus(summary)}: at least {missing} of memory are missing."
    if summary.step is None:
        return f"There is no step to predict: {summary.no_step}."
    rate = rate_text(summary)
    memory = of_capacity(summary.memory.peak_reserved_bytes, summary.memory.capacity_bytes)
    each = " each" if summary.gpus_used > 1 else ""
    return (
        f"A step takes {duration(summary.step.time_ms)} on {_gpus(summary)}"
        f"{f', {rate}' if rate else ''}; {memory}{each} are used."
    )


def rate_text(summary: Summary) -> str:
    """Empty where the batch was not seen."""
    rates = summary.throughput
    if rates.tokens_per_s:
        return f"{rates.tokens_per_s:,.0f} tokens a second"
    if rates.samples_per_s:
        return f"{rates.samples_per_s:,.1f} {rates.sample_unit} a second"
    return ""


def _gpus(summary: Summary) -> str:
    gpu = summary.cluster.gpu.name.removeprefix("NVIDIA ")
    return f"one {gpu}" if summary.gpus_used == 1 else f"{summary.gpus_used:,} x {gpu}"
