"""Host time is what the program computed, not what passed."""

import subprocess

import pytest
from fakes import ROOT, build, environment

from maya.trace import format as fmt
from maya.trace.capture import read_capture

COMPUTED_NS = 20_000_000


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    output = tmp_path_factory.mktemp("host_time") / "host_time"
    define = ["-DMAYA_CUDA_MAJOR=12", f"-I{ROOT / 'core/include'}"]
    return build(
        "cudart/host_time.cpp", output, ["libcudart.so.12", "libmaya_core.so"], "cu12", extra=define
    )


def two_calls(program, case, directory):
    """The recorded calls, before the second of which the program has computed."""
    subprocess.run([program, case], env=environment(directory), check=True, timeout=60)
    (path,) = directory.glob("*.maya")
    capture = read_capture(path)
    sets = [d.id for d in capture.definitions() if d.kind == fmt.Kind.MEMSET]
    return [event for event in capture.events if event["def"] in sets]


@pytest.mark.parametrize("case", ["work_that_others_interrupt", "work_behind_a_pause"])
def test_time_without_a_core_is_not_charged(program, tmp_path, case):
    first, second = two_calls(program, case, tmp_path)
    passed_ns = int(second["start_ns"]) - int(first["start_ns"])
    assert passed_ns > 2 * COMPUTED_NS
    assert COMPUTED_NS <= second["cpu_ns"] < 1.2 * COMPUTED_NS


def test_what_is_computed_inside_a_call_is_not_the_programs_time(program, tmp_path):
    _, second = two_calls(program, "call_that_computes", tmp_path)
    assert COMPUTED_NS <= second["cpu_ns"] < 1.2 * COMPUTED_NS
    assert second["call_ns"] >= COMPUTED_NS
