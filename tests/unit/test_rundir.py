"""The directory of a run: names with one home, a lock, facts that are checked."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_facts import write_facts
from training_capture import training

from maya.errors import MayaError
from maya.rundir import RunDirectory, names
from maya.trace import collect

ROOT = Path(__file__).resolve().parents[2]
INSIDE = ROOT / "src/maya/emulator/inside/maya_inside/run_files.py"
HEADER = ROOT / "native/core/include/maya/run_files.h"
HOLD = """
import sys, time
from pathlib import Path
from maya.rundir import RunDirectory
with RunDirectory(Path(sys.argv[1])).claimed():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that records into tmp_path/run."""
    words = [sys.executable, "-c", HOLD, str(tmp_path / "run")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_directory_in_use_is_refused_and_its_user_named(
    tmp_path: Path, recorder: subprocess.Popen[str]
) -> None:
    claim = RunDirectory(tmp_path / "run").claimed()
    with pytest.raises(MayaError, match=f"run is in use by process {recorder.pid}"), claim:
        pass


def test_lock_of_a_process_that_was_killed_holds_nobody_up(
    tmp_path: Path, recorder: subprocess.Popen[str]
) -> None:
    recorder.kill()
    recorder.wait()
    with RunDirectory(tmp_path / "run").claimed() as run:
        assert run.has(names.MARKER)


def test_earlier_run_is_removed_and_nothing_else(tmp_path: Path) -> None:
    ours = ("run.json", "stop", "failed-rank3", "12.maya", "rank0-7.memory.json", "partners-4.txt")
    theirs = ("thesis.tex", "notes-stop", "my.maya", "rank.txt")
    for name in (*ours, *theirs):
        (tmp_path / name).touch()
    with RunDirectory(tmp_path).claimed():
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((".maya-run", *theirs))


def test_when_a_rank_failed_does_not_depend_on_the_wall_clock(tmp_path: Path) -> None:
    now_ns = time.monotonic_ns()
    for rank, ago_s, file_time in ((0, 2, 1), (1, 30, 2**31)):
        path = tmp_path / f"failed-rank{rank}"
        path.write_text(f"{rank + 3} {now_ns - ago_s * 10**9}\n")
        os.utime(path, (file_time, file_time))
    first, second = RunDirectory(tmp_path).failed_ranks()
    assert (first.rank, first.exit_code, second.rank) == (1, 4, 0)
    assert 30 <= first.seconds_ago < 40


def test_capture_that_was_there_before_is_not_taken_for_a_rank(tmp_path: Path) -> None:
    (tmp_path / "rank0-1.maya").touch()
    with RunDirectory(tmp_path).claimed(force=True) as run:
        (tmp_path / "rank0-2.maya").touch()
        assert [path.name for path in run.capture_files()] == ["rank0-2.maya"]
        run.clear()
    assert [path.name for path in tmp_path.glob("*.maya")] == ["rank0-1.maya"]


def test_facts_come_back_as_they_were_written(tmp_path: Path) -> None:
    training(tmp_path)
    written = write_facts(tmp_path)
    assert collect(tmp_path).facts == written


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"ended_by": "luck"}, "field ended_by: must be"),
        ({"exit_code": "0"}, "field exit_code: must be a whole number"),
        ({"captures": ["../../etc/passwd"]}, "captures: '../../etc/passwd' is no name"),
        ({"versions": {"maya": "1"}}, "field versions.torch: is missing"),
        ({"ranks": {"world_size": 2}}, "field ranks.nodes: is missing"),
        ({"format": 99}, "format: it is 99"),
    ],
)
def test_a_mistake_in_the_facts_is_told_with_file_and_field(
    tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    training(tmp_path)
    write_facts(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(MayaError, match=re.escape(str(path))) as caught:
        collect(tmp_path)
    assert complaint in caught.value.message


@pytest.mark.parametrize("data", [b"", b"no json", b"[]", b"\xff\x00", b"{}", b"null"])
def test_garbage_for_facts_is_an_error_and_no_traceback(tmp_path: Path, data: bytes) -> None:
    training(tmp_path)
    (tmp_path / "run.json").write_bytes(data)
    with pytest.raises(MayaError, match=r"run\.json"):
        collect(tmp_path)


def test_what_others_write_is_named_as_it_is_here() -> None:
    inside = dict(re.findall(r'^(\w+) = "(.+)"$', INSIDE.read_text(), re.MULTILINE))
    assert inside == {name: getattr(names, name) for name in inside}
    native = dict(re.findall(r'k(\w+) = "(.+)";', HEADER.read_text()))
    partners = native.pop("Partners") + "{rank}" + native.pop("PartnersEnd")
    assert partners == names.PARTNERS
    assert native.pop("FailedRank") + "{rank}" == names.FAILED_RANK
    assert native.pop("CaptureSuffix") == names.CAPTURE_SUFFIX
    assert native == {name: getattr(names, name.upper()) for name in native}


def test_every_name_has_one_home() -> None:
    literals = [names.RUN, names.DEVICE, names.REPRESENTATIVES, names.GROUPS, names.LAUNCHER]
    literals += [
        names.SUMMARY,
        names.KERNELS,
        names.MARKER,
        names.ALLOCATOR_SUFFIX,
        names.SNAPSHOT_SUFFIX,
        "partners-",
        "failed-rank",
    ]
    quoted = re.compile("|".join(rf'(?<!"")"[^" ]*{re.escape(name)}' for name in literals))
    homes = {Path(names.__file__).resolve(), INSIDE, HEADER}
    files = [*(ROOT / "src/maya").rglob("*.py"), *(ROOT / "native/core").rglob("*.[ch]*")]
    found = [path for path in files if path not in homes and quoted.search(path.read_text())]
    assert not found
