"""Whether the kernel ended a process because this machine had no memory left."""

from pathlib import Path

VMSTAT = Path("/proc/vmstat")


def memory_kills() -> int:
    """How often it did so since the machine was started; also within containers' limits."""
    try:
        lines = VMSTAT.read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
