"""NVTX ranges reach the capture through the library and through the header-only interface."""

import subprocess
import sys

from fakes import environment

from maya.emulator.native import native_dir, preload
from maya.trace.capture import Capture, read_capture

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


def captured(tmp_path, script: str, *arguments: str, **extra: str) -> Capture:
    command = [sys.executable, "-c", script, *arguments]
    env = environment(tmp_path, **extra)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return read_capture(next(tmp_path.glob("*.maya")))


def recorded(tmp_path, script: str, *arguments: str, **extra: str) -> list[tuple]:
    capture = captured(tmp_path, script, *arguments, **extra)
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


OPERATORS = """
import ctypes, sys
nvtx = ctypes.CDLL(sys.argv[1])
core = ctypes.CDLL(None)
core.maya_tell_place.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_uint64]

def operator(name, sizes):
    nvtx.nvtxRangePushA(f"{name}, seq = 3, op_id = 4, sizes = {sizes}, input_op_ids = []".encode())

def launched():
    core.maya_tell_place(b"", b"", b"forward", 0)

core.maya_listen_for_operators(1)
operator("aten::linear", "[[2, 3], [4, 3]]")
nvtx.nvtxRangePushA(b"the program's")
operator("aten::mm", "[[2, 3], [3, 4]]")
launched()
launched()
nvtx.nvtxRangePop()
nvtx.nvtxRangePop()
launched()
core.maya_listen_for_operators(0)
nvtx.nvtxRangePop()
launched()
operator("aten::nobody", "[]")
"""


def test_operators_are_told_with_the_work_and_are_no_ranges(tmp_path):
    library = str(native_dir() / "libnvToolsExt.so.1")
    capture = captured(tmp_path, OPERATORS, library, LD_PRELOAD=library)
    told = [(capture.definition(int(event["def"])), int(event["b"])) for event in capture.events]
    linear, product = "aten::linear [[2, 3], [4, 3]]", "aten::mm [[2, 3], [3, 4]]"
    assert [(one.text("operators"), shared) for one, shared in told if one.op == "place"] == [
        (f"{linear}\n{product}", 0),
        (f"{linear}\n{product}", 2),
        (linear, 1),
        ("", 0),
    ]
    ranges = [one.text("text") for one, _ in told if one.text("what") == "push"]
    assert ranges[0] == "the program's"
    assert [text.split(",")[0] for text in ranges[1:]] == ["aten::nobody"]
