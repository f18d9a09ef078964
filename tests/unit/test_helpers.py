"""Which captures of a run are ranks, and which are of processes that the program started beside."""

import struct
from pathlib import Path

from capture_writer import CaptureWriter

from maya.trace import Capture, read_capture
from maya.trace.helpers import split_helpers


class Writer(CaptureWriter):
    """Of a process with this id."""

    pid = 0

    def header(self) -> bytes:
        head = bytearray(super().header())
        struct.pack_into("<Ii", head, 24, self.pid, self.rank)
        return bytes(head)


def process(
    directory: Path,
    pid: int,
    *older: int,
    rank: int = -1,
    steps: bool = False,
    calls: int = 1,
    member: bool = False,
) -> Capture:
    writer = Writer(rank=rank)
    writer.pid = pid
    command = f"/usr/bin/python work/{pid}.py"
    writer.define("process", 22, command=command, older=",".join(map(str, older)))
    kernel = writer.define("memset", 4, bytes=4)
    if member:
        writer.define("comm", 21, nranks=2)
    if steps:
        writer.define("step_boundary", 20)
    writer.events(*(writer.event(kernel) for _ in range(calls)))
    writer.end()
    return read_capture(writer.write(directory / f"{pid}.maya"))


def split(*captures: Capture) -> tuple[list[int], list[str]]:
    ranks, helpers = split_helpers(captures)
    return [capture.header.pid for capture in ranks], [helper.name for helper in helpers]


def test_what_a_training_process_starts_is_a_helper(tmp_path: Path) -> None:
    probe = process(tmp_path, 2, 1)
    evaluation = process(tmp_path, 3, 1, calls=500)
    training = process(tmp_path, 1, steps=True, calls=9)
    below = process(tmp_path, 4, 1, 3, steps=True, calls=50)
    ranks, helpers = split(probe, evaluation, training, below)
    assert ranks == [1]
    assert helpers == ["python 2.py", "python 3.py", "python 4.py"]


def test_a_process_that_only_looks_before_it_starts_the_training_is_the_helper(
    tmp_path: Path,
) -> None:
    assert split(process(tmp_path, 1), process(tmp_path, 2, 1, steps=True)) == (
        [2],
        ["python 1.py"],
    )


def test_processes_that_met_are_ranks_whoever_started_them(tmp_path: Path) -> None:
    parent = process(tmp_path, 1, calls=1000)
    ranks = [process(tmp_path, pid, 1, member=True) for pid in (2, 3)]
    assert split(parent, *ranks) == ([2, 3], ["python 1.py"])


def test_every_rank_of_a_launcher_keeps_one_process(tmp_path: Path) -> None:
    ranks = [process(tmp_path, 10 + rank, rank=rank, calls=9) for rank in (0, 1)]
    assert split(*ranks, process(tmp_path, 20, 10, rank=0)) == ([10, 11], ["python 20.py"])


def test_independent_trainings_are_ranks_and_others_beside_them_are_not(tmp_path: Path) -> None:
    first, second = (process(tmp_path, pid, steps=True) for pid in (1, 2))
    assert split(first, second, process(tmp_path, 3)) == ([1, 2], ["python 3.py"])


def test_without_any_step_nobody_is_left_out_who_is_not_another_s_child(tmp_path: Path) -> None:
    assert split(process(tmp_path, 1), process(tmp_path, 2)) == ([1, 2], [])
    assert split(process(tmp_path, 1, calls=9), process(tmp_path, 2, 1)) == ([1], ["python 2.py"])
