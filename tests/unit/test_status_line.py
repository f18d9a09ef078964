"""The line at the foot of the terminal."""

import io
import os
from pathlib import Path

import numpy as np
import pytest

from maya.cli.status_line import StatusLine, status_text
from maya.trace.format import BLOCK, EVENT, EVENTS_PER_BLOCK, HEADER, HEADER_BYTES, MAGIC, Block


class Terminal(io.StringIO):
    """Ten rows of eighty columns."""

    def fileno(self) -> int:
        return 2


def test_the_last_row_is_kept_from_scrolling_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((80, 10)))
    terminal = Terminal()
    with StatusLine(terminal) as line:
        assert not line.watch(tmp_path)
        drawn = terminal.getvalue()
    assert "\x1b[1;9r" in drawn
    assert "\x1b[10;1H\x1b[2K\x1b[2mmaya: emulating, 0 s, starting" in drawn
    assert terminal.getvalue()[len(drawn) :] == "\x1b7\x1b[r\x1b[10;1H\x1b[2K\x1b8"


def test_it_counts_the_processes_that_came_to_the_device(tmp_path: Path) -> None:
    assert status_text(tmp_path, 2.7, {}) == "maya: emulating, 3 s, starting"
    (tmp_path / "rank0-17.maya").touch()
    assert "1 process on the emulated GPU" in status_text(tmp_path, 2.7, {})


def test_it_says_whether_steps_were_found(tmp_path: Path) -> None:
    capture = tmp_path / "rank0-17.maya"
    for seen, told in ((0, "no step found yet"), (1, "steps found")):
        capture.write_bytes(HEADER.pack(MAGIC, 3, 64, 0, 17, 0, 1, 1) + bytes([seen]) + bytes(23))
        assert told in status_text(tmp_path, 2.7, {})


def test_it_counts_calls_while_they_are_recorded(tmp_path: Path) -> None:
    capture, counters = tmp_path / "rank0-17.maya", {}
    block = BLOCK.pack(Block.EVENTS, EVENTS_PER_BLOCK * EVENT.itemsize)
    for calls in (3, EVENTS_PER_BLOCK, EVENTS_PER_BLOCK + 5):
        events = np.zeros(2 * EVENTS_PER_BLOCK, EVENT)
        events["def"][:calls] = 1
        first, second = events[:EVENTS_PER_BLOCK].tobytes(), events[EVENTS_PER_BLOCK:].tobytes()
        text = BLOCK.pack(Block.STRING, 6) + bytes(8)
        capture.write_bytes(bytes(HEADER_BYTES) + block + first + text + block + second + bytes(8))
        told = status_text(tmp_path, 2.7, counters)
        assert f"1 process on the emulated GPU, {calls:,} calls recorded, no step" in told
