"""Numbers in the unit that reads best."""

from maya.units import GIB, KIB, MIB


def duration(milliseconds: float) -> str:
    """A time."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.2f} s"
    if milliseconds >= 1:
        return f"{milliseconds:.2f} ms"
    return f"{milliseconds * 1000:.1f} us"


def size(count: float) -> str:
    """Bytes."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= unit:
            return f"{count / unit:.2f} {name}"
    return f"{count:.0f} B"


def step_price(usd: float) -> str:
    """What a step costs; steps cost so little that a thousand are told."""
    return f"${1000 * usd:,.2f} per 1,000 steps"
