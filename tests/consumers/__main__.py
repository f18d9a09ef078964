"""Reads exports of a run with the tools that they are made for, and compares with its summary.

    python tests/consumers RUN DIRECTORY [et_def.proto]

DIRECTORY holds kineto, perfetto, chakra and sqlite, each written by `maya export`.
`make test-exports` does it all, in an environment of the tools alone. MLCommons' et_def.proto is in
no package.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

TOLERANCE = 0.01


def main(run: Path, exports: Path) -> int:
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    wrong = []
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
            (Path(place) / path.name).write_bytes(path.read_bytes())
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
        queue = found.get_queue_length_summary()
        yield "queue lengths", float(len(queue) > 0), 1.0


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
    name, total, _ = rows[0]
    yield f"ms per step of {name[:16]}", total / steps / 1e6, expected[name]


def chakra(directory, summary):
    """Nodes, parsed by messages that protoc makes of MLCommons' et_def.proto."""
    (path, *_) = sorted(directory.glob("rank.*.et"))
    if len(sys.argv) < 4:
        return
    messages = _compiled(Path(sys.argv[3]))
    data, at, nodes = path.read_bytes(), 0, []
    head = messages.GlobalMetadata()
    for target in (head, None):
        while at < len(data):
            size, shift = 0, 0
            while True:
                byte = data[at]
                at += 1
                size |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            one = target or messages.Node()
            one.ParseFromString(data[at : at + size])
            at += size
            if target is not None:
                break
            nodes.append(one)
    known = {node.id for node in nodes}
    sound = sum(set(node.data_deps) <= known for node in nodes)
    yield "nodes whose dependencies exist", float(sound), float(len(nodes))
    yield "version is told", float(bool(head.version)), 1.0


def _compiled(proto: Path):
    with tempfile.TemporaryDirectory() as place:
        options = [f"-I{proto.parent}", f"--python_out={place}", proto.name]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options], check=True)
        sys.path.insert(0, place)
        import et_def_pb2

        return et_def_pb2


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
