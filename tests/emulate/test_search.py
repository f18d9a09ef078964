"""Searches of a small script: warm and cold, killed and continued, local and on Ray."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from maya.estimate import default_chain
from maya.hardware import find_gpu
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.engine import SearchOptions, job_of, prepare
from maya.recipe_search.trials import warmth
from maya.recipe_search.trials.fingerprint import fingerprint
from maya.recipe_search.trials.jobs import TrialOutcome
from maya.recipe_search.trials.trial import run_trial
from maya.recipe_search.trials.warmth import close
from maya.trace import collect

SCRIPT = Path(__file__).with_name("search_script.py")
# 2**24 rows of 256 floats are 16 GiB, and backward holds several of them.
FILE: dict[str, Any] = {
    "command": [sys.executable, str(SCRIPT), "--batch", "{batch}", "--width", "{width}"],
    "clusters": ["h100:1"],
    "knobs": {
        "batch": {"choices": [64, 4096, 16384, 1 << 24], "memory": "rises"},
        "width": {"choices": [256, 512], "memory": "rises"},
    },
    "host_scale": 0,
    "sampler": "grid",
}


def write(directory: Path, **changes: Any) -> Path:
    path = directory / "recipe.yaml"
    path.write_text(yaml.safe_dump(FILE | changes))
    return path


def trial(path: Path, output: Path, place: int, warm: bool) -> TrialOutcome:
    state = prepare(path, SearchOptions(output=output, warm=warm, keep_captures=True))
    return run_trial(job_of(state, place, state.space.points[place]))


@pytest.mark.parametrize("ranks", [1, 16])
def test_a_forked_run_is_the_same_as_a_fresh_one(ranks: int, tmp_path: Path) -> None:
    changes: dict[str, Any] = {}
    if ranks > 1:
        launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "8", "--nnodes", "2"]
        command = [sys.executable, *launcher, *FILE["command"][1:]]
        changes = {"clusters": ["h100:8x2"], "command": command}
    path = write(tmp_path, **changes)
    cold = trial(path, tmp_path / "cold", 0, warm=False)
    try:
        warm = [trial(path, tmp_path / f"warm{i}", 0, warm=True) for i in range(2)]
        assert warmth.serving()
    finally:
        close()
    assert cold.status == "ok", cold.message
    assert [work(tmp_path / f"warm{i}") for i in range(2)] == [work(tmp_path / "cold")] * 2
    if ranks == 1:  # reduction has a thread of its own, and fresh runs differ in who comes first
        assert [predicted(outcome) for outcome in warm] == [predicted(cold)] * 2


def test_a_package_that_asks_for_the_gpu_on_import_is_forked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_text(
        "import torch\n"
        "found = torch.cuda.get_device_properties(0)\n"
        "assert (found.major, found.minor) == torch.cuda.get_device_capability() == (8, 6)\n"
        "assert found.name == torch.cuda.get_device_name() == 'NVIDIA A10'\n"
    )
    script = tmp_path / "train.py"
    script.write_text(f"import asking\n{SCRIPT.read_text()}")
    command = [sys.executable, str(script), *FILE["command"][2:]]
    path = write(tmp_path, command=command, clusters=["a10:1"], env={"PYTHONPATH": str(tmp_path)})
    try:
        outcome = trial(path, tmp_path / "s", 0, warm=True)
        assert warmth.serving()
    finally:
        close()
    assert outcome.status == "ok", outcome.message


def test_a_script_that_is_named_from_the_searchs_directory_is_forked(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT.read_text())
    path = write(tmp_path, command=[sys.executable, "train.py", *FILE["command"][2:]])
    try:
        assert trial(path, tmp_path / "s", 0, warm=True).status == "ok"
        assert warmth.serving()
    finally:
        close()


def test_a_trial_whose_server_was_killed_is_run_by_a_new_one(tmp_path: Path) -> None:
    path = write(tmp_path)
    try:
        assert trial(path, tmp_path / "s", 0, warm=True).status == "ok"
        server = warmth.server_pid()
        assert server is not None
        os.kill(server, signal.SIGKILL)
        assert trial(path, tmp_path / "s", 1, warm=True).status == "ok"
        assert warmth.server_pid() not in (None, server)
    finally:
        close()


def test_a_hopeless_trial_ends_early(tmp_path: Path) -> None:
    state = prepare(write(tmp_path, steps=1_000_000), SearchOptions(output=tmp_path / "s"))
    job = job_of(state, 0, state.space.points[0], stop_above_ms=0.001)
    try:
        outcome = run_trial(job)
        ended_by_itself = run_trial(replace(job, steps=1))  # too soon to be looked at
    finally:
        close()
    assert outcome.status == ended_by_itself.status == "hopeless", outcome.message
    assert outcome.metrics == ended_by_itself.metrics
    assert not list((tmp_path / "s" / "runs").glob("*/*.maya"))


def test_grid_search_ranks_prunes_and_reuses(tmp_path: Path) -> None:
    knobs = FILE["knobs"] | {"idle": {"choices": [False, True], "switch": "--no-effect"}}
    path = write(tmp_path, knobs=knobs, hopeless=None)
    state = search(path, options=SearchOptions(output=tmp_path / "s", jobs=1))
    answer = answer_of(state)
    counts = answer.document.counts
    assert counts.oom + counts.pruned == 4  # the largest batch, twice two ways
    assert counts.pruned >= 1
    assert counts.reused == 6  # what makes no difference to the device is simulated once
    assert answer.best is not None
    assert answer.best.point.knobs["batch"] == 64
    assert answer.best.point.knobs["width"] == 256
    commands = [recipe.command for recipe in answer.document.ranked]
    assert f"{SCRIPT} --batch 64 --width 256" in commands[0]
    assert not list((tmp_path / "s" / "runs").glob("*/*.maya"))  # captures are not kept


def test_the_same_gpus_elsewhere_are_only_simulated_again(tmp_path: Path) -> None:
    other = {"gpu": "h100", "per_node": 1, "host": {"speed": 0.5}}
    described = tmp_path / "slow.yaml"
    described.write_text(yaml.safe_dump(other))
    knobs = {"batch": {"choices": [64]}, "width": {"choices": [256]}}
    path = write(tmp_path, knobs=knobs, clusters=["h100:1", "slow.yaml"], host_scale=1)
    state = search(path, options=SearchOptions(output=tmp_path / "s", jobs=1))
    assert state.counts() == {"emulated": 1, "resimulated": 1, "ok": 2}


def test_a_failing_script_shows_its_traceback(tmp_path: Path) -> None:
    path = write(tmp_path, command=[*FILE["command"], "--fail"])
    done = maya("search", str(path), "-o", str(tmp_path / "s"))
    assert done.returncode == 2
    assert "RuntimeError: this recipe is broken" in done.stderr
    assert "the first 3 recipes all failed" in done.stderr


def test_a_search_killed_in_the_middle_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    path = write(tmp_path, sampler="tpe", trials=6)
    whole = maya("search", str(path), "-o", str(tmp_path / "whole"), "--jobs", "1", "--json")
    words = [sys.executable, "-m", "maya", "search", str(path), "-o", str(tmp_path / "cut")]
    words += ["--jobs", "1", "--json"]
    cut = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert cut.stderr is not None
    for line in cut.stderr:
        if line.startswith("trial 2"):
            break
    os.kill(cut.pid, signal.SIGKILL)
    cut.wait()
    again = subprocess.run(words, capture_output=True, text=True)
    first, second = json.loads(whole.stdout), json.loads(again.stdout)
    for answer in (first, second):
        for key in ("seconds", "counts"):  # how it was found may differ
            del answer[key]
        for row in answer["ranked"]:
            del row["how"], row["metrics"]["host_ms"]  # measured, and not used at host_scale 0
    assert json.dumps(second).replace("/cut/", "/whole/") == json.dumps(first)
    assert again.stderr.count("\ntrial ") <= 3  # what was done is not done again


@pytest.mark.timeout(600)  # Ray takes its time to start on a busy machine
def test_ray_gives_what_the_local_pool_gives(tmp_path: Path) -> None:
    import ray

    path = write(tmp_path, trials=2)
    local = search(path, options=SearchOptions(output=tmp_path / "local", jobs=2))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        options = SearchOptions(output=tmp_path / "ray", jobs=2, backend="ray")
        remote = search(path, options=options)
    finally:
        ray.shutdown()
    assert [predicted(d.outcome) for d in remote.done()] == [
        predicted(d.outcome) for d in local.done()
    ]


def work(search: Path) -> str:
    """What a search's only run asked of the device, and in which order."""
    (run,) = (search / "runs").glob("*/run.json")
    captures = collect(run.parent).captures
    return fingerprint(captures, default_chain(), find_gpu("h100"))


def predicted(outcome: TrialOutcome) -> dict[str, Any]:
    """All but the host's own time, which is measured."""
    return {name: value for name, value in outcome.metrics.items() if name != "host_ms"}


def maya(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "maya", *words], capture_output=True, text=True)
