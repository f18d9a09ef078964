"""Checkpoints cost the step nothing, whatever they copy and wait for."""

from pathlib import Path

import numpy as np
from training_capture import FixedDurations, Script

from maya.analyze import Options, predict
from maya.analyze.summary import summary_of
from maya.hardware import find_cluster
from maya.recipe_search.trials.bound import StepBound
from maya.trace import Capture, collect
from maya.trace.saving import save_durations_ns, saving_mask

STEPS, SAVE_NS = 3, 50_000_000


def saving_run(directory: Path, *, saves: bool) -> Capture:
    """Two products and an update a step; a checkpoint is copied, waited for and written."""
    directory.mkdir()
    script = Script()
    begin = script.define("saving", 15, what="push", text="saving")
    end = script.define("saving", 15, what="pop", text="saving")
    copy = script.define("memcpy", 3, bytes=1 << 30, direction=2, pageable=1)
    wait = script.define("sync", 10, what="device", device=0)
    for piece in range(STEPS + 3):
        script.call(script.gemm, stream=1)
        if piece:
            script.call(script.boundary, a=piece, cpu_ns=0)
        script.call(script.gemm, stream=1)
        script.call(script.kernel, stream=1)
        if saves:
            script.call(begin, cpu_ns=0)
            script.call(copy, stream=1, cpu_ns=SAVE_NS // 2)
            script.call(wait)
            script.call(end, cpu_ns=SAVE_NS // 2)
    script.steady(STEPS + 2, STEPS)
    return script.save(directory)


def step_ns(directory: Path) -> float:
    return predict(collect(directory), find_cluster("h100:1"), OPTIONS).step_ns


OPTIONS = Options(chain=FixedDurations())


def test_step_is_that_of_a_program_that_does_not_save(tmp_path: Path) -> None:
    saving_run(tmp_path / "saves", saves=True)
    saving_run(tmp_path / "never", saves=False)
    saved, never = step_ns(tmp_path / "saves"), step_ns(tmp_path / "never")
    assert never <= saved < never + 5_000, "a few calls of libraries at most"


def test_a_search_does_not_take_saving_for_a_slow_step(tmp_path: Path) -> None:
    saving_run(tmp_path / "saves", saves=True)
    saving_run(tmp_path / "never", saves=False)
    bound = StepBound(find_cluster("h100:1"), FixedDurations())
    assert bound.so_far(tmp_path / "saves") == bound.so_far(tmp_path / "never")


def test_saves_are_counted_and_timed(tmp_path: Path) -> None:
    saving_run(tmp_path / "saves", saves=True)
    run = collect(tmp_path / "saves")
    prediction = predict(run, find_cluster("h100:1"), OPTIONS)
    saving = summary_of(prediction, run).saving
    assert saving is not None
    assert saving.count == STEPS + 3
    assert saving.mean_ms * 1e6 == np.mean(save_durations_ns(run.captures[0])) > SAVE_NS


def test_only_the_thread_that_saves_is_saving(tmp_path: Path) -> None:
    script = Script()
    begin = script.define("saving", 15, what="push", text="saving")
    end = script.define("saving", 15, what="pop", text="saving")
    for thread, definition in ((1, begin), (2, script.gemm), (1, script.gemm), (1, end)):
        script.call(definition, thread=thread)
    script.call(script.gemm)
    assert saving_mask(script.save(tmp_path)).tolist() == [
        *(False, False, False),  # the stream that was made, the beginning, the other thread
        *(True, True),
        False,
    ]
