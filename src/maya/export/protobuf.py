"""Protocol buffers: as much of writing them as the formats here need.

https://protobuf.dev/programming-guides/encoding
"""

_VARINT, _FIXED64, _BYTES = 0, 1, 2


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    number &= (1 << 64) - 1  # negative ones as 64 bits
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def integer(field: int, number: int) -> bytes:
    """Any kind of integer, bool or enum."""
    return varint(field << 3 | _VARINT) + varint(number)


def fixed64(field: int, number: int) -> bytes:
    """Eight bytes."""
    return varint(field << 3 | _FIXED64) + number.to_bytes(8, "little")


def message(field: int, *parts: bytes) -> bytes:
    """A message within another."""
    data = b"".join(parts)
    return varint(field << 3 | _BYTES) + varint(len(data)) + data


def text(field: int, value: str) -> bytes:
    """UTF-8; what is no text (a lone surrogate) is shown as a question mark."""
    return message(field, value.encode("utf-8", "replace"))
