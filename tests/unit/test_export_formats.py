"""Each format as its readers look at it; `make test-exports` asks the readers themselves."""

import csv
import gzip
import json
import pickle
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from run_facts import run_of
from training_capture import FixedDurations, training

from maya.analyze import Options, Prediction, predict
from maya.errors import MayaError
from maya.export import FORMATS, MEMORY, write_failed_memory
from maya.hardware import find_cluster
from maya.rundir.names import SNAPSHOT_SUFFIX, is_run_file

Fields = list[tuple[int, int | bytes]]


@pytest.fixture(scope="module")
def prediction(tmp_path_factory: pytest.TempPathFactory) -> Prediction:
    place = tmp_path_factory.mktemp("run")
    captures = [training(place, rank=rank, world=2) for rank in range(2)]
    return predict(run_of(captures), find_cluster("h100:2"), Options(chain=FixedDurations()))


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return number, at


def _fields(data: bytes) -> Fields:
    """Number and value of each field of a message."""
    found: Fields = []
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            value, at = _varint(data, at)
            found.append((tag >> 3, value))
            continue
        size, at = (8, at) if tag & 7 == 1 else _varint(data, at)
        found.append((tag >> 3, data[at : at + size]))
        at += size
    return found


def _bytes(fields: Fields, number: int) -> list[bytes]:
    return [value for key, value in fields if key == number and isinstance(value, bytes)]


def test_every_format_writes_a_file_for_each_rank_where_a_run_may_have_it(
    prediction: Prediction, tmp_path: Path
) -> None:
    for name, made in FORMATS.items():
        assert is_run_file(name)
        if name == MEMORY:  # these captures have no allocator
            with pytest.raises(MayaError, match="no snapshot"):
                made.write(prediction, tmp_path / name)
            continue
        paths = made.write(prediction, tmp_path / name)
        assert len(paths) == 2
        assert all(path.stat().st_size > 0 for path in paths)


def test_kineto_names_its_rows_and_links_calls_to_work(
    prediction: Prediction, tmp_path: Path
) -> None:
    _, path = FORMATS["kineto"].write(prediction, tmp_path)
    with gzip.open(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    rows = [event for event in events if event["ph"] == "M"]
    named = {(row["name"], *row["args"].values()) for row in rows}
    assert {("process_labels", "GPU 1"), ("thread_name", "stream 7")} <= named
    arrows = {phase: {e["id"] for e in events if e["ph"] == phase} for phase in "sf"}
    work = [e for e in events if e.get("cat") == "kernel"]
    assert arrows["s"] == arrows["f"] == {e["args"]["correlation"] for e in work}
    (reduce, *_) = [e["args"] for e in work if e["name"] == "ncclDevKernel_AllReduce"]
    assert (reduce["Group size"], reduce["In msg nelems"], reduce["dtype"]) == (2, 1 << 20, "fp32")
    assert all(e["pid"] == 1 for e in work)  # the device, not the process


def test_kineto_holds_the_steps_and_nothing_else(prediction: Prediction, tmp_path: Path) -> None:
    path, _ = FORMATS["kineto"].write(prediction, tmp_path)
    with gzip.open(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    low, high = prediction.step_ends_ns[0] / 1e3, prediction.step_ends_ns[-1] / 1e3
    work = [e for e in events if e.get("cat", "").startswith(("kernel", "gpu_"))]
    assert work
    assert all(e["ts"] + e["dur"] > low and e["ts"] < high for e in work)


def test_a_query_for_nsys_sums_kernels(prediction: Prediction, tmp_path: Path) -> None:
    path, _ = FORMATS["sqlite"].write(prediction, tmp_path)
    rows = (
        sqlite3.connect(path)
        .execute(
            "SELECT value, SUM(k.end - k.start), COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k "
            "JOIN StringIds AS s ON k.demangledName = s.id "
            "JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r USING (correlationId) GROUP BY value"
        )
        .fetchall()
    )
    table = {name: (total, count) for name, total, count in rows}
    with FORMATS["csv"].write(prediction, tmp_path)[0].open() as file:
        lines = [row for row in csv.DictReader(file) if row["name"] == "cublasGemmEx"]
    assert table["cublasGemmEx"] == (sum(int(row["duration_ns"]) for row in lines), len(lines))
    assert "ncclDevKernel_AllReduce" in table


def test_perfetto_slices_of_a_track_follow_each_other(
    prediction: Prediction, tmp_path: Path
) -> None:
    path, _ = FORMATS["perfetto"].write(prediction, tmp_path)
    packets = [_fields(packet) for packet in _bytes(_fields(path.read_bytes()), 1)]
    names = dict(_track_names(packets))
    assert {"steps", "stream 7"} <= set(names.values())
    now, depth, steps = 0, dict.fromkeys(names, 0), []
    for packet in packets:
        for data in _bytes(packet, 11):
            event, at = dict(_fields(data)), int(dict(packet)[8])
            assert at >= now
            now, track = at, int(event[11])
            depth[track] += {1: 1, 2: -1}[int(event[9])]
            assert depth[track] in (0, 1)
            steps += [at] if names[track] == "steps" else []
    lengths = [end - begin for begin, end in zip(steps[::2], steps[1::2], strict=True)]
    assert sum(lengths) / len(lengths) == pytest.approx(prediction.step_ns)


def _track_names(packets: list[Fields]) -> Iterator[tuple[int, str]]:
    for packet in packets:
        for data in _bytes(packet, 60):
            told = _fields(data)
            name = _bytes(told, 2)
            yield int(dict(told)[1]), name[0].decode() if name else ""


def test_chakra_nodes_depend_on_what_is_before_them_on_their_stream(
    prediction: Prediction, tmp_path: Path
) -> None:
    path, _ = FORMATS["chakra"].write(prediction, tmp_path)
    data, at, messages = path.read_bytes(), 0, []
    while at < len(data):
        size, at = _varint(data, at)
        messages.append(_fields(data[at : at + size]))
        at += size
    head, *nodes = messages
    assert _bytes(head, 1)
    assert [dict(node)[1] for node in nodes] == list(range(1, len(nodes) + 1))
    assert all(dict(node)[5] == dict(node)[1] - 1 for node in nodes[1:])  # type: ignore[operator]
    reduces = [node for node in nodes if _bytes(node, 2) == [b"ncclDevKernel_AllReduce"]]
    assert {dict(node)[3] for node in reduces} == {7}  # COMM_COLL_NODE
    sizes = [dict(_fields(a)) for a in _bytes(reduces[0], 10)]
    assert {one[1]: one.get(9) for one in sizes}[b"comm_size"] == 4 << 20


def test_parquet_holds_what_csv_holds(prediction: Prediction, tmp_path: Path) -> None:
    (text, _), (table, _) = (FORMATS[k].write(prediction, tmp_path) for k in ("csv", "parquet"))
    frame = pl.read_parquet(table)
    assert frame.equals(pl.read_csv(text, schema=frame.schema))
    assert frame["duration_ns"].sum() > 0


def _snapshot(state: str = "active_allocated", stack: int = 1) -> str:
    numbers = dict.fromkeys(("total_size", "allocated_size", "active_size", "requested_size"), 512)
    segment = {"address": 4096, "stream": 0, "type": "small", "expandable": False, "stack": 0}
    told = {
        "device": 1,
        "segments": [segment | numbers | {"blocks": [[4096, 512, 500, state, stack]]}],
        "trace": [["alloc", 4096, 512, 0, 10, 1], ["oom", 77, 1 << 40, 0, 12, 0]],
        "stacks": [[], [["train.py", 3, "main"]]],
    }
    return json.dumps(told)


def test_a_failed_allocation_is_shown_as_torch_shows_it(
    prediction: Prediction, tmp_path: Path
) -> None:
    capture = training(tmp_path)
    capture.path.with_suffix(SNAPSHOT_SUFFIX).write_text(_snapshot())
    (path,) = write_failed_memory([capture], tmp_path / "out")
    found = pickle.loads(path.read_bytes())
    first, (alloc, failed) = found["device_traces"]
    assert first == []  # the allocator's second device
    assert (alloc["addr"], alloc["frames"][0]["line"]) == (4096, 3)
    assert (failed["device_free"], failed["size"]) == (77, 1 << 40)
    (block,) = found["segments"][0]["blocks"]
    assert block["frames"] == [{"filename": "train.py", "line": 3, "name": "main"}]


@pytest.mark.parametrize("text", [_snapshot(stack=9), "{}", "[", _snapshot()[:-40]])
def test_a_damaged_snapshot_is_refused(text: str, tmp_path: Path) -> None:
    capture = training(tmp_path)
    capture.path.with_suffix(SNAPSHOT_SUFFIX).write_text(text)
    with pytest.raises(MayaError, match="cannot be read"):
        write_failed_memory([capture], tmp_path / "out")
