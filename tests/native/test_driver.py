"""The driver and NVRTC: behaviour, the codes of wrong use, and what is recorded."""

import re
import struct
import subprocess
from pathlib import Path

import pytest
from fakes import ROOT, build, environment

from maya.trace import format as fmt
from maya.trace.capture import Capture, read_capture

PROGRAMS = ("contexts", "memory", "kernels", "nvrtc")
LIBRARIES = ["libcuda.so.1", "libnvrtc.so.12"]
POINTER = 0x4D41594150545200  # stands for every device pointer in a parameter image


def cases() -> list[tuple[str, str]]:
    """Every case of every program, as its own table lists them."""
    sources = {name: (ROOT / "tests/cuda" / f"{name}.cpp").read_text() for name in PROGRAMS}
    return [
        (name, case)
        for name, source in sources.items()
        for case in re.findall(r'\{"(\w+)", \1\}', source)
    ]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    out = tmp_path_factory.mktemp("cuda")
    return {name: build(f"cuda/{name}.cpp", out / name, LIBRARIES) for name in PROGRAMS}


def run(program: Path, case: str, run_dir: Path) -> None:
    done = subprocess.run(
        [program, case], env=environment(run_dir), timeout=60, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def record(programs: dict[str, Path], name: str, case: str, run_dir: Path) -> Capture:
    run(programs[name], case, run_dir)
    (path,) = run_dir.glob("*.maya")
    return read_capture(path)


@pytest.mark.parametrize(("name", "case"), cases())
def test_case(programs, tmp_path, name, case):
    run(programs[name], case, tmp_path)


def test_launches_are_recorded_with_their_parameters(programs, tmp_path):
    capture = record(programs, "kernels", "launches_are_recorded_with_their_parameters", tmp_path)
    kernels = [d for d in capture.definitions() if d.kind == fmt.Kind.KERNEL]
    scale, bare = sorted(kernels, key=lambda d: d.text("kernel"), reverse=True)
    assert scale.text("kernel") == "scale"
    assert [scale.number(f) for f in ("grid_x", "grid_y", "block_x", "shared_bytes")] == [
        7,
        2,
        64,
        128,
    ]
    assert struct.unpack("<Qfi", scale.blob) == (POINTER, 2.5, 1000)
    launches = [int(e["def"]) for e in capture.events]
    assert launches.count(scale.id) == 2  # once with pointers, once as one buffer
    assert [bare.number(f) for f in ("cluster_x", "cluster_y", "attributes")] == [2, 1, 3]


def test_launches_tell_how_far_their_addresses_reach(programs, tmp_path):
    capture = record(programs, "kernels", "launches_tell_how_far_their_addresses_reach", tmp_path)
    reaches = [d.number(fmt.REACH) for d in capture.definitions() if d.kind == fmt.Kind.KERNEL]
    # Launches that differ in their addresses alone are one definition, with the first's reach.
    assert reaches == [4096 - 1024, (4 << 20) - 512]


def test_a_graph_is_recorded_as_what_it_contains(programs, tmp_path):
    capture = record(programs, "kernels", "captured_graphs_are_launched", tmp_path)
    nodes = [d for d in capture.definitions() if d.kind == fmt.Kind.GRAPH_NODE]
    inner = [capture.definition(d.number("def")).op for d in nodes]
    assert inner == ["kernel", "memset"]
    assert nodes[1].extra == (0,)  # the memset depends on the kernel


def test_child_graphs_are_laid_out_flat(programs, tmp_path):
    capture = record(programs, "kernels", "built_graphs_are_launched", tmp_path)
    nodes = [d for d in capture.definitions() if d.kind == fmt.Kind.GRAPH_NODE]
    assert [capture.definition(d.number("def")).op for d in nodes] == ["kernel", "host_call"]


def test_kernels_compiled_at_run_time_are_recorded(programs, tmp_path):
    capture = record(programs, "nvrtc", "launches_of_compiled_kernels_are_recorded", tmp_path)
    (kernel,) = [d for d in capture.definitions() if d.kind == fmt.Kind.KERNEL]
    assert kernel.text("kernel") == "scale"
    count, *data = struct.unpack("<i4xQQQ", kernel.blob)
    assert (count, data) == (4321, [POINTER] * 3)


def test_synchronisations_and_copies_are_recorded(programs, tmp_path):
    capture = record(programs, "memory", "values_survive_a_round_trip", tmp_path)
    copies = [d for d in capture.definitions() if d.kind == fmt.Kind.COPY]
    assert {d.number("direction") for d in copies} == {1, 2, 3}
    assert all(d.number("bytes") == 16 for d in copies)
