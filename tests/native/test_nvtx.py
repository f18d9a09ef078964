"""NVTX ranges reach the capture through the library and through the header-only interface."""

import subprocess
import sys

from fakes import environment

from maya.emulator.native import native_dir, preload
from maya.trace.capture import read_capture

LINKED = """
import ctypes, sys
nvtx = ctypes.CDLL(sys.argv[1])
assert nvtx.nvtxRangePushA(b"outer") == 0
assert nvtx.nvtxRangePushW(ctypes.c_wchar_p("inner \\u00e9")) == 1
assert nvtx.nvtxRangePop() == 1
assert nvtx.nvtxRangePop() == 0
assert nvtx.nvtxRangePop() == -2
nvtx.nvtxMarkA(b"here")
"""
HEADER_ONLY = """
import torch
with torch.cuda.nvtx.range("outer"):
    torch.cuda.nvtx.range_push("inner \\u00e9")
    torch.cuda.nvtx.range_pop()
torch.cuda.nvtx.mark("here")
"""
EXPECTED = [("push", "outer"), ("push", "inner \u00e9"), ("pop", ""), ("pop", ""), ("mark", "here")]


def recorded(tmp_path, script: str, *arguments: str, **extra: str) -> list[tuple]:
    command = [sys.executable, "-c", script, *arguments]
    env = environment(tmp_path, **extra)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    capture = read_capture(next(tmp_path.glob("*.maya")))
    ranges = [capture.definition(int(event["def"])) for event in capture.events]
    return [(r.fields["what"], r.fields["text"]) for r in ranges if r.op == "range"]


def test_ranges_of_a_linked_program(tmp_path):
    library = str(native_dir() / "libnvToolsExt.so.1")
    assert recorded(tmp_path, LINKED, library, LD_PRELOAD=library) == EXPECTED


def test_ranges_of_torch(tmp_path):
    libraries = preload(12)
    extra = {
        "LD_PRELOAD": ":".join(map(str, libraries)),
        "NVTX_INJECTION64_PATH": str(libraries[0]),
    }
    assert recorded(tmp_path, HEADER_ONLY, **extra) == EXPECTED
