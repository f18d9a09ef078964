"""Constants of conversion, and how many of a thing. Names of variables carry their unit."""

KIB = 1024
MIB = 1024**2
GIB = 1024**3

NS_PER_US = 1_000
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

KHZ_PER_MHZ = 1_000
MW_PER_W = 1_000


def counted(count: int, noun: str) -> str:
    """`1 step`, `3 steps`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
