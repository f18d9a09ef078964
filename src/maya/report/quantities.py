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


def of_capacity(used: float, capacity: float) -> str:
    """`18.8 of 79.2 GiB`, or `456 MiB of 79.2 GiB`: as exact as a person needs it."""
    amount = short_size(used).removesuffix(" GiB")
    return f"{amount} of {short_size(capacity)}"


def short_size(count: float) -> str:
    """Bytes, as exact as a person needs them beside a GPU's memory."""
    return f"{count / MIB:,.0f} MiB" if count < GIB else f"{count / GIB:,.1f} GiB"


def step_price(usd: float) -> str:
    """What a step costs; steps cost so little that a thousand are told, or a million."""
    many = next((count for count in (1_000, 1_000_000) if count * usd >= 0.01), 1_000_000)
    return f"${many * usd:,.2f} per {many:,} steps"
