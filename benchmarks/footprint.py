"""Memory of a large model and of a long run, and time to a record of an ordinary script."""

from benchmarks.emulated import figure, run
from benchmarks.result import Result

_SOAK_STEPS = 50_000


def resident_memory() -> Result:
    """A model of seven billion parameters, created on the device and run once."""
    stdout, _ = run("large_model.py")
    billions = figure(stdout, "parameters") / 1e9
    return Result(
        "resident memory of a 7B rank",
        figure(stdout, "resident_mb") / 1024,
        1.5,
        "GiB",
        f"{billions:.2f} billion parameters",
    )


def resnet50() -> Result:
    """Three steady steps of resnet50, batch 256, from command to prompt."""
    _, seconds = run("resnet50.py", steps=3)
    return Result("3-step record of resnet50, batch 256", seconds, 30.0, "s")


def soak() -> Result:
    """Everything is recorded: what a process holds may not depend on how long it runs."""
    stdout, seconds = run("soak.py", str(_SOAK_STEPS))
    return Result(
        f"growth over {_SOAK_STEPS:,} steps, after the first tenth",
        figure(stdout, "growth_mib"),
        2.0,
        "MiB",
        f"{seconds:.0f} s",
    )
