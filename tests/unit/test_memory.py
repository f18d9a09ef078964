"""Memory: what the driver saw, what PyTorch told, and what does not fit."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from run_facts import run_of
from training_capture import FixedDurations, Script, training

from maya.analyze import Options, predict, summary_of
from maya.analyze.allocator import Allocator, read_allocator
from maya.analyze.memory import memory_of
from maya.analyze.without_step import OUT_OF_MEMORY, summary_without_step
from maya.errors import MayaError
from maya.hardware import find_cluster
from maya.report import summary_lines
from maya.summary import keep_prediction, read_prediction
from maya.summary.memory import when
from maya.trace import Capture, collect

MIB = 1 << 20
LINE = {"line": "/home/me/train.py:12 (forward)", "bytes": 30 * MIB}
TOLD: dict[str, Any] = {
    "version": 1,
    "peak_allocated_bytes": 50 * MIB,
    "peak_reserved_bytes": 64 * MIB,
    "peak_phase": "backward",
    "fullest": {
        "moment": "backward",
        "step": 2,
        "bytes": 40 * MIB,
        "categories": {"parameters": 10 * MIB, "activations and temporaries": 30 * MIB},
        "lines": [LINE],
    },
}
FAILURE: dict[str, Any] = {
    "asked_bytes": 8 * MIB,
    "free_bytes": 3 * MIB,
    "allocated_bytes": 50 * MIB,
    "reserved_bytes": 64 * MIB,
    "line": "/home/me/train.py:12 (forward)",
    "phase": "forward",
    "held": {"bytes": 50 * MIB, "categories": {"parameters": 50 * MIB}, "lines": [LINE]},
}


def tell(capture: Capture, **changes: Any) -> None:
    path = capture.path.with_suffix(".memory.json")
    path.write_text(json.dumps(TOLD | changes))


def test_peak_of_tensors_is_what_the_allocator_told(tmp_path: Path) -> None:
    capture = training(tmp_path)
    assert memory_of(capture, 0).peak_allocated_bytes == 64 * MIB
    tell(capture)
    found = memory_of(capture, 0)
    assert found.peak_allocated_bytes == 50 * MIB
    assert found.peak_reserved_bytes == 64 * MIB


def test_holders_of_the_peak_add_up_to_it(tmp_path: Path) -> None:
    capture = training(tmp_path)
    tell(capture)
    allocator = memory_of(capture, 0).allocator
    assert allocator is not None
    held = allocator.categories_at_peak()
    assert held["allocated in the backward pass"] == 10 * MIB
    assert sum(held.values()) == 50 * MIB


def test_cached_memory_can_be_given_back_but_tensors_cannot(tmp_path: Path) -> None:
    capture = training(tmp_path)
    tell(capture)
    found = memory_of(capture, 0)
    gpu = find_cluster("h100:1").gpu
    small = gpu.model_copy(update={"total_memory_bytes": gpu.context_bytes + 55 * MIB})
    smaller = gpu.model_copy(update={"total_memory_bytes": gpu.context_bytes + 45 * MIB})
    assert found.missing_bytes(small) == 0
    assert found.missing_bytes(smaller) == 5 * MIB
    assert replace(found, allocator=None).missing_bytes(small) == 9 * MIB


def test_of_a_pool_that_is_taken_at_once_only_what_was_used_counts(tmp_path: Path) -> None:
    capture = training(tmp_path)
    used = 20 * MIB
    tell(capture, peak_allocated_bytes=used, peak_reserved_bytes=used, pool_bytes=60 * MIB)
    found = memory_of(capture, 0)
    assert found.peak_reserved_bytes == found.needed_bytes == (64 - 40) * MIB


def test_summary_says_when_and_who(tmp_path: Path) -> None:
    capture = training(tmp_path)
    tell(capture)
    prediction = predict(run_of([capture]), find_cluster("h100:1"), Options(chain=FixedDurations()))
    memory = summary_of(prediction, collect(tmp_path)).memory
    assert memory.peak.phase == "backward"
    assert [asdict(line) for line in memory.peak.lines] == [LINE]
    assert memory.peak.cached_bytes == 14 * MIB
    assert not memory.oom
    assert memory.per_rank[0].peak_allocated_bytes == 50 * MIB


def test_run_that_does_not_fit_another_gpu_says_how_much_is_missing(tmp_path: Path) -> None:
    script = Script()
    allocated = script.define("alloc", 5, what="device", device=0)
    script.call(allocated, a=0x1000, b=60 << 30)
    script.call(script.gemm, stream=1)
    captures = [script.save(tmp_path)]
    prediction = predict(
        run_of(captures), find_cluster("a100-40:1"), Options(chain=FixedDurations())
    )
    summary = summary_of(prediction, collect(tmp_path))
    assert summary.memory.oom
    gpu = find_cluster("a100-40:1").gpu
    assert summary.memory.missing_bytes == (60 << 30) - gpu.usable_memory_bytes
    assert any("does not fit" in line for line in summary_lines(summary))


def test_out_of_memory_is_a_summary_without_a_step(tmp_path: Path) -> None:
    script = Script()
    failed = script.define("out_of_memory", 22, text="out of memory: 8 bytes asked for, 3 free")
    script.call(script.gemm, stream=1)
    script.call(failed)
    tell(script.save(tmp_path), out_of_memory=FAILURE)
    summary = summary_without_step(collect(tmp_path), find_cluster("h100:1"), OUT_OF_MEMORY)
    keep_prediction(tmp_path, summary, ())
    assert read_prediction(tmp_path).summary == summary
    assert summary.step is None
    memory = summary.memory
    assert memory.oom
    assert memory.missing_bytes == 5 * MIB
    assert memory.failure is not None
    assert memory.failure.line == FAILURE["line"]
    text = "\n".join(summary_lines(summary))
    assert "5.00 MiB missing" in text
    assert "me/train.py:12 (forward)" in text


def test_out_of_memory_is_told_without_pytorch_too(tmp_path: Path) -> None:
    script = Script()
    reason = "out of memory: 8 bytes asked for, 3 free"
    script.call(script.define("out_of_memory", 22, text=reason))
    script.save(tmp_path)
    summary = summary_without_step(collect(tmp_path), find_cluster("h100:1"), OUT_OF_MEMORY)
    assert summary.memory.oom
    assert any(reason in line for line in summary_lines(summary))


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"peak_allocated_bytes": -1, "peak_reserved_bytes": 0}']
)
def test_hostile_allocator_file_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "1.memory.json").write_text(text)
    with pytest.raises(MayaError, match="cannot be read"):
        read_allocator(tmp_path / "1.maya")


def test_a_program_that_nobody_looked_into_is_told_in_plain_words() -> None:
    told = Allocator(peak_allocated_bytes=5 * MIB, peak_reserved_bytes=8 * MIB)
    assert told.categories_at_peak() == {"tensors of unknown kinds": 5 * MIB}


@pytest.mark.parametrize(
    ("phase", "words"),
    [("later", "after the first steps"), ("optimizer", "in the optimizer step"), ("a", "a")],
)
def test_moments_of_the_peak_have_words(phase: str, words: str) -> None:
    assert when(phase) == words
