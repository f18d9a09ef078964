"""Reads a kernel's parameter image."""

import struct

from maya.estimate.kernels.arguments import Place

POINTER = 0x4D41594150545200  # what the recorder writes for a device pointer
_POINTER_BYTES = struct.pack("<Q", POINTER)
MARKER_WORDS = struct.unpack("<II", _POINTER_BYTES)


class Image:
    """The bytes of the parameters, as the kernel would find them."""

    def __init__(self, blob: bytes) -> None:
        self.blob = blob

    def __len__(self) -> int:
        return len(self.blob)

    def i32(self, offset: int) -> int:
        """A signed 32-bit word, 0 beyond the end."""
        return self._read("<i", offset, 4)

    def u32(self, offset: int) -> int:
        """An unsigned 32-bit word, 0 beyond the end."""
        return self._read("<I", offset, 4)

    def i64(self, offset: int) -> int:
        """A signed 64-bit word, 0 beyond the end."""
        return self._read("<q", offset, 8)

    def number(self, place: Place) -> int:
        """The one integer that stands there."""
        return self.read(place)[0]

    def read(self, place: Place) -> tuple[int, ...]:
        """The signed integers that stand there, 0 beyond the end."""
        form = "<i" if place.width == 4 else "<q"
        ends = range(place.at, place.at + place.width * place.count, place.width)
        return tuple(self._read(form, at, place.width) for at in ends)

    def words(self, offset: int, count: int) -> tuple[int, ...]:
        """Unsigned 32-bit words."""
        return tuple(self.u32(offset + 4 * index) for index in range(count))

    def pointers(self) -> int:
        """How many device pointers stand in the image."""
        return self.blob.count(_POINTER_BYTES)

    def after_pointers(self) -> int:
        """Offset behind the last device pointer."""
        return self.blob.rfind(_POINTER_BYTES) + 8

    def sizes(self, limit: int = 1 << 40) -> list[int]:
        """Words that may be sizes: what is left when pointers and small numbers are taken out."""
        plain = self.blob.replace(_POINTER_BYTES, b"\0" * 8)
        words = struct.unpack_from(f"<{len(plain) // 4}i", plain)
        return [word for word in words if 1 < word < limit]

    def _read(self, form: str, offset: int, size: int) -> int:
        if offset < 0 or offset + size > len(self.blob):
            return 0
        value: int = struct.unpack_from(form, self.blob, offset)[0]
        return value
