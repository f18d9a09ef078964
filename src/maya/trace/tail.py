"""A capture that is still being written."""

from collections.abc import Iterator
from pathlib import Path

from maya.trace.blocks import Index, index_blocks, read_header
from maya.trace.capture import Capture, Definition, map_file


class CaptureTail:
    """Reads definitions as they come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index = Index()
        self._read = 0  # definitions handed out

    def definitions_up_to(self, last: int) -> Iterator[Definition]:
        """Those that were not handed out before; the program must have finished writing `last`."""
        data = map_file(self._path)
        header = read_header(data)
        start = self._index.used_bytes or header.header_bytes
        self._index = index_blocks(data, start, self._index, last)
        self._index.events.clear()
        capture = Capture(self._path, header, data, self._index)
        for number in range(self._read + 1, last + 1):
            self._read = number
            yield capture.definition(number)
