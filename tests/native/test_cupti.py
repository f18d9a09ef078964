"""CUPTI: activity records for a C program, and what torch.profiler makes of them."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from fakes import build, environment

from maya.emulator.native import preload

PROFILED = """
import sys, torch
from torch.profiler import profile, ProfilerActivity
model = torch.nn.Linear(64, 64).cuda()
x = torch.randn(8, 64).cuda()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    for _ in range(3):
        model(x).relu().sum().backward()
    torch.zeros(1000, device="cuda")
    x.cpu()
p.export_chrome_trace(sys.argv[1])
"""


@pytest.mark.parametrize("name", ["activity", "graphs"])
@pytest.mark.parametrize("cuda", ["cu12", "cu13"])
def test_records_tie_calls_to_work(tmp_path, cuda, name):
    major = cuda.removeprefix("cu")
    libraries = [f"libcupti.so.{major}", f"libcudart.so.{major}"]
    program = build(f"cupti/{name}.cpp", tmp_path / name, libraries, cuda)
    done = subprocess.run([program], env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_profile_of_torch_shows_the_emulated_kernels(tmp_path):
    trace = tmp_path / "trace.json"
    env = environment(tmp_path, LD_PRELOAD=":".join(map(str, preload(12))))
    command = [sys.executable, "-c", PROFILED, str(trace)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    events = json.loads(trace.read_text())["traceEvents"]
    count = Counter(event.get("cat") for event in events)
    assert count["kernel"] >= 12
    assert count["gpu_memcpy"] >= 1
    calls = {e["args"]["correlation"] for e in events if e.get("cat") == "cuda_runtime"}
    kernels = [e for e in events if e.get("cat") == "kernel"]
    assert all(kernel["args"]["correlation"] in calls for kernel in kernels)
    # Every kernel is tied to the operator that launched it.
    assert all(kernel["args"]["External id"] > 0 for kernel in kernels)
    assert any("elementwise" in kernel["name"] for kernel in kernels)
    operators = [e["ts"] for e in events if e.get("cat") == "cpu_op"]
    assert all(min(operators) <= k["ts"] <= max(operators) + 1e6 for k in kernels)
