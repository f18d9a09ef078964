"""What C++ and Python both say of a file that they share, they say alike."""

import re
import subprocess
from enum import IntEnum
from pathlib import Path

import pytest
from fakes import FLAGS, ROOT

from maya.emulator import held_files
from maya.prediction import live_durations
from maya.rundir import clock_page
from maya.simulator.program import WHOLE_SHARE
from maya.trace import format as capture


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Names of fields with their places, of types with their sizes, as the compiler has them."""
    program = tmp_path_factory.mktemp("shared") / "shared_numbers"
    includes = [f"-I{ROOT / name}" for name in ("core/include", "core")]
    source = ROOT / "tests/shared_numbers.cpp"
    subprocess.run(["g++", *FLAGS, *includes, "-o", program, source], check=True)
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
    return {
        name: int(number) for name, _, number in (line.rpartition(" ") for line in lines if line)
    }


def test_the_page_of_the_clock_lies_as_python_looks_at_it(native: dict[str, int]) -> None:
    fields = "furthest_ns", "start_monotonic_ns", "start_unix_ns"
    assert [native[f"Page.{name}"] for name in fields] == [0, 8, 16]
    assert clock_page.STARTS.size == 24
    assert native["Page.standing"] == clock_page.STANDING_AT
    assert native["Page.processes"] == clock_page.PROCESSES_AT
    assert native["Page.sleepers"] >= clock_page.PROCESSES_AT + clock_page.PROCESSES.size
    assert native["Page"] <= clock_page.PAGE_BYTES


def test_answers_of_durations_lie_where_python_writes_them(native: dict[str, int]) -> None:
    assert native["Table.wanted"] == 0
    assert native["Table.answers"] == live_durations._ANSWERS_AT
    assert native["Table.rates"] == live_durations._RATES_AT
    assert native["Rates"] == live_durations._RATES.size


def test_a_capture_begins_as_python_reads_it(native: dict[str, int]) -> None:
    assert native["version"] == capture.VERSION
    assert native["Header"] == capture.HEADER_BYTES
    assert native["Header.steps_seen"] == capture.STEPS_SEEN_AT
    assert native["maya::BlockHeader"] == capture.BLOCK.size


def test_totals_of_held_files_are_read_as_they_are_counted(native: dict[str, int]) -> None:
    assert native["Totals.shared"] == held_files._TOTALS.size


def test_a_whole_device_is_the_same_number(native: dict[str, int]) -> None:
    assert native["whole_share"] == WHOLE_SHARE


@pytest.mark.parametrize(
    ("header", "name", "numbers"),
    [
        ("core/capture_format.h", "BlockType", capture.Block),
        ("core/include/maya/record.h", "Kind", capture.Kind),
        ("core/recorder.h", "EndReason", capture.EndReason),
    ],
)
def test_codes_in_a_capture_have_the_same_names(
    header: str, name: str, numbers: type[IntEnum]
) -> None:
    python = {code.name.lower(): code.value for code in numbers if code.value}
    assert python == codes_of(ROOT / header, name)


def codes_of(header: Path, name: str) -> dict[str, int]:
    """An enum of C++ whose first code is 1."""
    found = re.search(rf"enum class {name}\b[^{{]*{{([^}}]*)}}", header.read_text("utf-8"))
    assert found
    words = re.sub(r"//.*", "", found[1]).replace(" = 1", "").split(",")
    return {word.strip(): code for code, word in enumerate(words, 1) if word.strip()}
