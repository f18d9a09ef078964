"""Counts the calls in a capture while it is being written."""

from pathlib import Path
from typing import BinaryIO

import numpy as np

from maya.trace import format as fmt
from maya.trace.format import Block


class CallCounter:
    """Asked again and again, it reads only what came since: a run may record millions of calls."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = fmt.HEADER_BYTES
        self._calls_in_full_blocks = 0
        self._filling: list[tuple[int, int]] = []  # payload and its bytes; one for each host thread

    def count(self) -> int:
        """Calls so far."""
        with self._path.open("rb") as file:
            self._find_blocks(file)
            calls = [(block, _calls_in(file, *block)) for block in self._filling]
        full = [block for block, found in calls if found == block[1] // fmt.EVENT.itemsize]
        self._filling = [block for block in self._filling if block not in full]
        in_filling = sum(found for block, found in calls if block not in full)
        self._calls_in_full_blocks += sum(found for block, found in calls if block in full)
        return self._calls_in_full_blocks + in_filling

    def _find_blocks(self, file: BinaryIO) -> None:
        while True:
            file.seek(self._at)
            head = file.read(fmt.BLOCK.size)
            if len(head) < fmt.BLOCK.size:
                return
            kind, length = fmt.BLOCK.unpack(head)
            if kind in (Block.UNUSED, Block.END):
                return
            if kind == Block.EVENTS:
                self._filling.append((self._at + fmt.BLOCK.size, length))
            self._at += fmt.BLOCK.size + length + -length % fmt.ALIGNMENT


def _calls_in(file: BinaryIO, payload: int, length: int) -> int:
    file.seek(payload)
    data = file.read(min(length, fmt.EVENTS_PER_BLOCK * fmt.EVENT.itemsize))
    events = np.frombuffer(data, fmt.EVENT, len(data) // fmt.EVENT.itemsize)
    return int(np.count_nonzero(events["def"]))
