"""The runtime library for both CUDA versions: behaviour, wrong use, what is recorded."""

import re
import resource
import signal
import subprocess
from pathlib import Path

import pytest
from fakes import ROOT, build, environment

from maya.trace import format as fmt
from maya.trace.capture import Capture, read_capture

SOURCE = ROOT / "tests/cudart/runtime.cpp"
CASES = re.findall(r'\{"(\w+)",\s+\1\}', SOURCE.read_text())


@pytest.fixture(scope="module", params=["12", "13"])
def program(request, tmp_path_factory):
    major = request.param
    output = tmp_path_factory.mktemp("cudart") / "runtime"
    define = [f"-DMAYA_CUDA_MAJOR={major}", f"-I{ROOT / 'core/include'}"]
    return build(
        "cudart/runtime.cpp", output, [f"libcudart.so.{major}"], f"cu{major}", extra=define
    )


def run(program: Path, case: str, run_dir: Path, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, case],
        env=environment(run_dir),
        timeout=60,
        capture_output=True,
        text=True,
        **options,
    )


def record(program: Path, case: str, run_dir: Path) -> Capture:
    done = run(program, case, run_dir)
    assert done.returncode == 0, done.stderr
    (path,) = run_dir.glob("*.maya")
    return read_capture(path)


def of_kind(capture: Capture, kind: fmt.Kind) -> list:
    """The definitions of the events of one kind, in order."""
    definitions = {d.id: d for d in capture.definitions() if d.kind == kind}
    return [definitions[event["def"]] for event in capture.events if event["def"] in definitions]


@pytest.mark.parametrize("case", CASES)
def test_case(program, tmp_path, case):
    done = run(program, case, tmp_path)
    assert done.returncode == 0, done.stderr


def test_graph_launches_are_recorded_as_the_nodes_they_repeat(program, tmp_path):
    capture = record(program, "capture_makes_a_graph_with_its_dependencies", tmp_path)
    launches = of_kind(capture, fmt.Kind.GRAPH)
    nodes = [d for d in capture.definitions() if d.kind == fmt.Kind.GRAPH_NODE]
    assert len(launches) == 3
    assert {launch.number("nodes") for launch in launches} == {4}
    assert len(nodes) == 4
    assert not of_kind(capture, fmt.Kind.MEMSET), "captured work must not be recorded as done"


def test_reading_what_no_host_wrote_is_counted(program, tmp_path):
    capture = record(program, "host_values_survive_and_unknown_ones_are_zero", tmp_path)
    assert len(of_kind(capture, fmt.Kind.VALUE_READ)) == 1
    assert capture.complete


def test_a_disk_that_is_full_ends_the_capture_but_not_the_program(program, tmp_path):
    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    done = run(
        program, "host_values_survive_and_unknown_ones_are_zero", tmp_path, preexec_fn=no_room
    )
    assert done.returncode == 0
    assert "maya: " in done.stderr
    assert (tmp_path / "error").read_text()


def test_memory_is_reserved_not_committed(program, tmp_path):
    run(program, "a_terabyte_of_traffic_commits_nothing", tmp_path)
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    assert peak_mb < 2000  # includes every other child of this test process, the compiler too
