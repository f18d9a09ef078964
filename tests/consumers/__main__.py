"""Reads exports of a run with the tools that they are made for, and compares with its summary.

    python tests/consumers RUN DIRECTORY [CHAKRA]

DIRECTORY holds kineto, perfetto, chakra and sqlite, each written by `maya export`.
`make test-exports` does it all, in an environment of the tools alone. CHAKRA is a clone of
mlcommons/chakra, whose reader is in no package.
"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

TOLERANCE = 0.01


def main(run: Path, exports: Path) -> int:
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    wrong = []
    warnings.simplefilter("ignore")  # HTA's and pandas'
    for name, check in (
        ("kineto", hta),
        ("perfetto", perfetto),
        ("sqlite", nsys),
        ("chakra", chakra),
    ):
        for figure, found, expected in check(exports / name, summary):
            right = abs(found - expected) <= TOLERANCE * abs(expected) + 1e-9
            print(f"{name:9}{figure:34}{found:14.4f}{expected:14.4f}  {'ok' if right else 'WRONG'}")
            wrong += [] if right else [(name, figure)]
    return 1 if wrong else 0


def hta(directory, summary):
    """Breakdown, overlap, queue length and kernel table of Holistic Trace Analysis."""
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # kernels of 1.5 us would count as 1
    from hta.trace_analysis import TraceAnalysis

    with tempfile.TemporaryDirectory() as place:
        for path in directory.glob("*.json.gz"):
            _in_nanoseconds(path, Path(place) / path.name)
        found = TraceAnalysis(trace_dir=place, include_last_profiler_step=True)
        times = found.get_temporal_breakdown(visualize=False)
        whole = times[["idle_time(us)", "compute_time(us)", "non_compute_time(us)"]].sum(axis=1)
        busy = (times["compute_time(us)"] + times["non_compute_time(us)"]) / whole
        device = summary["device"]
        share = device["busy_ms"] / (device["busy_ms"] + device["idle_ms"])
        yield "share of time the GPU is busy", float(busy.mean()), share
        steps = found.t.get_iterations()
        yield "steps", float(len(steps)), float(summary["step"]["count"])
        frame = found.t.get_trace(min(found.t.traces))
        yield "calls linked to their work", float((frame["index_correlation"] > 0).any()), 1.0
        whole_ms = float(whole.mean()) / 1e6 / summary["step"]["count"]
        yield "step, ms", whole_ms, summary["step"]["time_ms"]
        queue = found.get_queue_length_summary()
        yield "queue lengths", float(len(queue) > 0), 1.0
        yield from _kernel_times(found, summary)
        yield from _sequences(found)
        yield from _critical_path(found)


def _in_nanoseconds(trace, copy):
    """HTA cuts every stretch between two events to a whole unit, and so loses what lies between
    kernels that follow each other at once: most of a busy GPU's exposed communication."""
    told = json.loads(gzip.decompress(trace.read_bytes()))
    for event in told["traceEvents"]:
        for name in {"ts", "dur"} & event.keys():
            event[name] *= 1000
    copy.write_bytes(gzip.compress(json.dumps(told).encode(), 1))


def _kernel_times(found, summary):
    """Exposed communication of all ranks; the kernel that takes most time."""
    kinds, kernels = found.get_gpu_kernel_breakdown(visualize=False)
    steps, ranks = summary["step"]["count"], len(found.t.traces)
    moved = summary["communication"]
    if moved["total_ms"]:
        alone = kinds.set_index("kernel_type")["sum"].get("COMMUNICATION", 0.0)
        yield "exposed communication, ms", alone / 1e6 / steps / ranks, moved["exposed_ms"]
    kept = next(Path(sys.argv[1]).glob("predictions/*/kernels.json")).read_text("utf-8")
    expected = {row["name"]: row["time_ms"] for row in json.loads(kept)["rows"]}
    sums = kernels.groupby("name")["sum (us)"].sum() / 1e6 / steps / ranks
    for name in ("cublasGemmEx", "cublasLtMatmul"):
        if name in sums.index:
            yield f"{name}, ms", float(sums[name]), expected[name]


def _sequences(found):
    """Kernels that follow each other, by the modules that the trace names."""
    with tempfile.TemporaryDirectory() as place:
        rows = found.get_frequent_cuda_kernel_sequences(
            operator_name="blocks.*.qkv (forward)",
            output_dir=place,
            min_pattern_len=2,
            rank=min(found.t.traces),
            top_k=1,
            visualize=False,
        )
    yield "kernel sequences of a module", float(len(rows) > 0), 1.0


def _critical_path(found):
    """That it finds one. Its shares are its own: it knows kernels and launches, no host code."""
    graph, good = found.critical_path_analysis(
        rank=min(found.t.traces), annotation="ProfilerStep", instance_id=1
    )
    yield "critical path", float(good), 1.0
    yield "shares of the critical path, %", float(graph.summary().sum()), 100.0


def perfetto(directory, summary):
    """Slices of the GPU, parsed by Perfetto's own messages."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2

    (path, *_) = sorted(directory.glob("rank*.perfetto-trace"))
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(path.read_bytes())
    names, steps, depth = {}, [], {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            names[packet.track_descriptor.uuid] = packet.track_descriptor.name
        if packet.HasField("track_event"):
            event = packet.track_event
            begins = event.type == event.TYPE_SLICE_BEGIN
            depth[event.track_uuid] = depth.get(event.track_uuid, 0) + (1 if begins else -1)
            assert depth[event.track_uuid] in (0, 1), "slices overlap"
            if names[event.track_uuid] == "steps":
                steps.append(packet.timestamp)
    lengths = [end - begin for begin, end in zip(steps[::2], steps[1::2], strict=True)]
    middle = sorted(lengths)[len(lengths) // 2]
    yield "step, ms", middle / 1e6, summary["step"]["time_ms"]


def nsys(directory, summary):
    """The query of nsys's own cuda_gpu_kern_sum, over the steps."""
    (path, *_) = sorted(directory.glob("rank*.sqlite"))
    base = sqlite3.connect(path)
    bounds = base.execute("SELECT min(start), max(end), count(*) FROM NVTX_EVENTS")
    low, high, steps = bounds.fetchone()
    rows = base.execute(
        """SELECT value, SUM(end - start), COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
           JOIN StringIds AS s ON k.demangledName = s.id WHERE k.start >= ? AND k.start < ?
           GROUP BY value ORDER BY 2 DESC""",
        (low, high),
    ).fetchall()
    kept = next(Path(sys.argv[1]).glob("predictions/*/kernels.json")).read_text("utf-8")
    expected = {row["name"]: row["time_ms"] for row in json.loads(kept)["rows"]}
    name, total, _ = next(row for row in rows if row[0] in expected)
    yield f"ms per step of {name[:16]}", total / steps / 1e6, expected[name]


def chakra(directory, summary):
    """Nodes, as chakra's own jsonizer reads them."""
    (path, *_) = sorted(directory.glob("rank.*.et"))
    if len(sys.argv) < 4:
        return
    with tempfile.TemporaryDirectory() as place:
        jsonizer = _chakra_package(Path(sys.argv[3]), Path(place))
        written = Path(place) / "nodes.json"
        options = ["--input_filename", str(path), "--output_filename", str(written)]
        environment = {**os.environ, "PYTHONPATH": place}
        subprocess.run([sys.executable, "-m", jsonizer, *options], check=True, env=environment)
        head, *nodes = _objects(written.read_text("utf-8"))
    known = {node["id"] for node in nodes}
    sound = sum(set(node.get("dataDeps", ())) <= known for node in nodes)
    yield "nodes whose dependencies exist", float(sound), float(len(nodes))
    yield "version is told", float(bool(head["version"])), 1.0
    moved = [node for node in nodes if node["type"] == "COMM_COLL_NODE"]
    yield (
        "collectives in all",
        float(bool(moved)),
        float(bool(summary["communication"]["total_ms"])),
    )


def _chakra_package(clone: Path, place: Path) -> str:
    """A clone as the package that its setup.py would make."""
    schema = place / "chakra" / "schema" / "protobuf"
    schema.mkdir(parents=True)
    (place / "chakra" / "src").symlink_to(clone.resolve() / "src")
    proto = clone.resolve() / "schema" / "protobuf"
    options = [f"-I{proto}", f"--python_out={schema}", "et_def.proto"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options], check=True)
    return "chakra.src.jsonizer.jsonizer"


def _objects(text: str):
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        found, at = decoder.raw_decode(text, at)
        yield found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
