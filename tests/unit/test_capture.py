"""Reading captures: whole, cut and broken ones."""

import contextlib
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from capture_writer import KERNEL, CaptureWriter, block, small_capture
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maya.trace import CaptureError, collect, read_capture, summarize, to_polars
from maya.trace import format as fmt
from maya.trace.format import EVENT, EndReason, Kind

QUICK = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_everything_written_is_read(tmp_path: Path) -> None:
    capture = read_capture(small_capture().write(tmp_path / "rank0-1.maya"))
    assert (capture.header.pid, capture.header.rank, capture.header.world_size) == (4321, 0, 2)
    assert capture.complete
    assert capture.end_reason == EndReason.EXIT
    assert len(capture.events) == 13
    first = capture.definition(1)
    assert first.fields["kernel"] == KERNEL
    assert first.blob == b"12345"
    node = [d for d in capture.definitions() if d.kind == Kind.GRAPH_NODE][1]
    assert node.extra == (0,)


def test_event_is_40_bytes() -> None:
    assert EVENT.itemsize == 40


def test_events_come_in_order_of_time_whatever_block_they_stand_in(tmp_path: Path) -> None:
    w = CaptureWriter()
    sync = w.define("cudaDeviceSynchronize", 10, what="device")
    early, late = w.event(sync, a=1), w.event(sync, a=2)
    w.events(late)
    w.events(early)
    w.end()
    assert read_capture(w.write(tmp_path / "1.maya")).events["a"].tolist() == [1, 2]


def test_capture_without_end_is_readable(tmp_path: Path) -> None:
    path = small_capture(end=False).write(tmp_path / "1.maya", padding=4096)
    capture = read_capture(path)
    assert not capture.complete
    assert len(capture.events) == 13
    assert capture.used_bytes == path.stat().st_size - 4096


def test_cut_at_any_byte_gives_what_stood_before_it(tmp_path: Path) -> None:
    data, path = small_capture().bytes(), tmp_path / "1.maya"
    counts = []
    for length in range(64, len(data)):
        path.write_bytes(data[:length])
        capture = read_capture(path)
        summarize([capture])
        counts.append(len(capture.events))
    assert counts[0] == 0
    assert counts[-1] == 13


@pytest.mark.parametrize("length", range(64))
def test_less_than_a_header_is_not_a_capture(tmp_path: Path, length: int) -> None:
    path = tmp_path / "1.maya"
    path.write_bytes(small_capture().bytes()[:length])
    with pytest.raises(CaptureError, match="not a capture"):
        read_capture(path)


def test_newer_version_says_to_upgrade(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="version 99") as caught:
        read_capture(CaptureWriter(version=99).write(tmp_path / "1.maya"))
    assert "upgrade" in (caught.value.hint or "")


def _deflated(text: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(text) + packer.flush()


def _with_packed_string(text: bytes, size: int) -> CaptureWriter:
    w = CaptureWriter(version=2)
    schema = w.schema("kernel", 1, ["code:s"])
    w.blocks.append(block(6, struct.pack("<II", 100, size) + _deflated(text)))
    w.blocks.append(block(3, struct.pack("<IIIIq", 1, schema, 1, 0, 100)))
    w.end()
    return w


def test_long_texts_are_packed(tmp_path: Path) -> None:
    text = b"ld.global.b32 " * 5000
    capture = read_capture(_with_packed_string(text, len(text)).write(tmp_path / "1.maya"))
    assert capture.definition(1).text("code") == text.decode()


@pytest.mark.parametrize(("text", "size"), [(b"x" * 10**7, 10), (b"x", 10), (b"x", 2**32 - 1)])
def test_a_packed_string_that_lies_about_its_size_is_an_error(
    tmp_path: Path, text: bytes, size: int
) -> None:
    with pytest.raises(CaptureError, match="packed string of"):
        read_capture(_with_packed_string(text, size).write(tmp_path / "1.maya"))


def _with_packed_arguments(arguments: bytes, size: int) -> CaptureWriter:
    w = CaptureWriter(version=2)
    schema = w.schema("kernel", 1, ["grid_x"])
    w.blocks.append(block(7, struct.pack("<IIIIq", 1, schema, 1, size, 5) + _deflated(arguments)))
    w.end()
    return w


def test_long_arguments_are_packed(tmp_path: Path) -> None:
    arguments = bytes(range(64)) + bytes(4000)
    capture = read_capture(_with_packed_arguments(arguments, 4064).write(tmp_path / "1.maya"))
    assert capture.definition(1).blob == arguments
    assert capture.definition(1).fields == {"grid_x": 5}


@pytest.mark.parametrize(("arguments", "size"), [(bytes(10**7), 10), (b"x", 10), (b"x", 2**31)])
def test_packed_arguments_that_lie_about_their_size_are_an_error(
    tmp_path: Path, arguments: bytes, size: int
) -> None:
    with pytest.raises(CaptureError, match="packed arguments of"):
        read_capture(_with_packed_arguments(arguments, size).write(tmp_path / "1.maya"))


def test_what_a_capture_unpacks_to_is_bounded_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fmt, "MOST_UNPACKED_TOTAL", 1000)
    w = CaptureWriter(version=2)
    schema = w.schema("kernel", 1, ["grid_x"])
    for number in (1, 2, 3):
        head = struct.pack("<IIIIq", number, schema, 1, 400, 5)
        w.blocks.append(block(7, head + _deflated(bytes(400))))
    w.end()
    with pytest.raises(CaptureError, match=r"1\.maya: packed data unpacks to more"):
        read_capture(w.write(tmp_path / "1.maya"))


@pytest.mark.parametrize("field", ["device", "nranks", "peer"])
def test_numbers_that_nothing_has_are_refused(tmp_path: Path, field: str) -> None:
    w = CaptureWriter()
    w.define("stream", 9, **{field: 2**40})
    w.end()
    with pytest.raises(CaptureError, match=f"a call's {field} is 1,099,511,627,776"):
        read_capture(w.write(tmp_path / "1.maya"))


def test_a_call_beyond_all_time_is_refused(tmp_path: Path) -> None:
    w = CaptureWriter()
    w._time = 2**63
    w.events(w.event(w.define("memset", 4, bytes=4)))
    w.end()
    with pytest.raises(CaptureError, match="ns after the start"):
        read_capture(w.write(tmp_path / "1.maya"))


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "1.maya"
    path.write_bytes(b"PK\x03\x04" * 100)
    with pytest.raises(CaptureError, match="not a capture"):
        read_capture(path)
    with pytest.raises(CaptureError, match="cannot read"):
        read_capture(tmp_path)


def test_event_of_an_unknown_definition_is_an_error_in_a_closed_capture(tmp_path: Path) -> None:
    w = CaptureWriter()
    w.events(w.event(7))
    w.end()
    with pytest.raises(CaptureError, match="definition 7"):
        read_capture(w.write(tmp_path / "1.maya"))


def test_huge_counts_allocate_nothing(tmp_path: Path) -> None:
    w = CaptureWriter()
    schema = w.schema("x", 2, ["m"])
    w.blocks.append(block(3, struct.pack("<IIIIq", 1, schema, 2**31 - 1, 2**32 - 1, 5)))
    with pytest.raises(CaptureError, match="does not fit"):
        read_capture(w.write(tmp_path / "1.maya"))


@QUICK
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=8))
def test_changed_bytes_give_a_capture_or_a_clear_error(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(small_capture().bytes())
    for place, value in changes:
        data[place % len(data)] = value
    read_all(tmp_path / "1.maya", bytes(data))


@QUICK
@given(st.binary(max_size=600))
def test_any_bytes_behind_a_header_give_a_capture_or_a_clear_error(
    tmp_path: Path, tail: bytes
) -> None:
    read_all(tmp_path / "1.maya", CaptureWriter().header() + tail)


@QUICK
@given(st.lists(st.sampled_from(small_capture().blocks), max_size=40))
def test_shuffled_blocks_give_a_capture_or_a_clear_error(
    tmp_path: Path, blocks: list[bytes]
) -> None:
    read_all(tmp_path / "1.maya", CaptureWriter().header() + b"".join(blocks))


def read_all(path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)  # an old map of the same file must not change under its reader
    path.write_bytes(data)
    with contextlib.suppress(CaptureError):
        capture = read_capture(path)
        summarize([capture])
        to_polars(capture)


def test_table_has_a_row_per_event_with_demangled_names(tmp_path: Path) -> None:
    frame = to_polars(read_capture(small_capture().write(tmp_path / "1.maya")))
    assert frame.height == 13
    kernels = frame.filter(frame["kind"].cast(str) == "kernel")
    assert "vectorized_elementwise_kernel" in str(kernels["kernel"][0])
    assert frame["bytes"].drop_nulls().to_list() == [4096, 4, 64]


def test_summary_counts_graph_nodes_and_follows_memory(tmp_path: Path) -> None:
    for rank in (0, 1):
        small_capture(rank=rank).write(tmp_path / f"rank{rank}-{rank}.maya")
    run = collect(tmp_path)
    assert [capture.header.rank for capture in run.captures] == [0, 1]
    summary = summarize(run.captures)
    assert summary.kernels[KERNEL].calls == 2 * (1 + 2)  # launched, and two nodes of a graph
    assert summary.library["cublasGemmEx"].calls == 4
    assert summary.copies["H2D"].bytes == 2 * 4096
    assert summary.peak_bytes == 1 << 20
    assert summary.steps == 1
    assert summary.value_reads["train.py:7 (step)"].calls == 2


def test_many_events_are_read_fast(tmp_path: Path) -> None:
    w = CaptureWriter()
    sync = w.define("cudaDeviceSynchronize", 10, what="device")
    full = [w.event(sync) for _ in range(1024)]
    for _ in range(300):
        w.events(*full)
    w.end()
    capture = read_capture(w.write(tmp_path / "1.maya"))
    assert len(capture.events) == 300 * 1024
    assert np.all(np.diff(capture.events["start_ns"].astype(np.int64)) >= 0)
