"""Values on the device are the CPU's or known to be unknown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.values import measure
from maya.trace import Capture, collect, summarize
from maya.trace.block_masks import block_masks

WORKLOADS = Path(__file__).parent / "workloads"
# Fixed, and spread over the table.
A_TENTH = ("--every", "10")
# The tenth is not the whole table: floats there have more matrix products on the newer build.
LEAST_EQUAL = {"bool": 0.96, "int32": 0.97, "int64": 0.97, "float32": 0.88}


BUILDS = [
    pytest.param("python_cu12", id="cuda12"),
    pytest.param("python_cu13", id="cuda13", marks=pytest.mark.torch13),
]


def _emulate(
    tmp_path: Path,
    environment: dict[str, str],
    python: Path,
    *words: str,
    options: tuple[str, ...] = (),
) -> tuple[Capture, str]:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--force"]
    done = subprocess.run(
        [*line, *options, "--", str(python), *words],
        cwd=tmp_path,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (capture,) = collect(tmp_path / "run").captures
    return capture, done.stdout


@pytest.mark.parametrize("build", BUILDS)
def test_operator_samples_give_the_cpus_values_or_are_unknown(
    build: str, request: pytest.FixtureRequest
) -> None:
    tally = measure(request.getfixturevalue(build), *A_TENTH)
    assert tally.notes == []
    for kind, least in LEAST_EQUAL.items():
        total = tally.total(kind)
        assert total["equal"] >= least * total.total() > 10, kind


@pytest.mark.parametrize("build", BUILDS)
def test_reads_of_unknown_values_are_answered_by_their_meaning_and_named(
    tmp_path: Path,
    workload_environment: dict[str, str],
    build: str,
    request: pytest.FixtureRequest,
) -> None:
    script = str(WORKLOADS / "unknown_values.py")
    python = request.getfixturevalue(build)
    capture, stdout = _emulate(tmp_path, workload_environment, python, script)
    assert stdout == "done\n"
    choices = summarize([capture]).value_choices
    given = {site.rsplit("/", 1)[1]: count.example for site, count in choices.items()}
    assert given["unknown_values.py:7 (<module>)"] == "all: true"
    assert given["unknown_values.py:8 (<module>)"] == "any: false"


@pytest.mark.parametrize("build", BUILDS)
def test_nothing_stale_is_known_whatever_overwrites_it(
    tmp_path: Path,
    workload_environment: dict[str, str],
    build: str,
    request: pytest.FixtureRequest,
) -> None:
    script = str(WORKLOADS / "overwritten.py")
    python = request.getfixturevalue(build)
    _, stdout = _emulate(tmp_path, workload_environment, python, script)
    assert stdout == "done\n"


@pytest.mark.parametrize("build", BUILDS)
def test_graphs_compute_values_when_they_are_launched(
    tmp_path: Path,
    workload_environment: dict[str, str],
    build: str,
    request: pytest.FixtureRequest,
) -> None:
    script = str(WORKLOADS / "graph_values.py")
    python = request.getfixturevalue(build)
    capture, stdout = _emulate(tmp_path, workload_environment, python, script)
    assert stdout == "done\n"
    summary = summarize([capture])
    reads = {**summary.value_reads, **summary.value_choices}
    assert sorted(site.rsplit(":", 1)[1] for site in reads) == ["25 (<module>)", "28 (<module>)"]


def test_a_mask_of_ones_leaves_flash_attention_and_generation_runs_to_its_length(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script = str(WORKLOADS / "hf_mask.py")
    capture, stdout = _emulate(tmp_path, workload_environment, Path(sys.executable), script)
    assert stdout == "generated (2, 11)\n"
    kernels = " ".join(summarize([capture]).kernels)
    assert "flash_bwd" in kernels
    assert "fmha_cutlassB" not in kernels


def test_generation_ends_after_as_many_tokens_as_the_user_says(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    options = ("--output-lengths", "2")
    script = str(WORKLOADS / "hf_mask.py")
    _, stdout = _emulate(
        tmp_path, workload_environment, Path(sys.executable), script, options=options
    )
    assert stdout == "generated (2, 10)\n"


def test_a_mask_of_ones_takes_the_kernels_of_no_mask_and_those_that_look_at_it(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script, steps, few = str(WORKLOADS / "hf_steps.py"), 6, 4
    masked, plain = (
        summarize(
            [_emulate(tmp_path, workload_environment, Path(sys.executable), script, mask)[0]]
        ).kernels
        for mask in ("ones", "none")
    )
    assert any("flash_bwd" in name for name in plain)
    assert plain.keys() <= masked.keys()
    more = {
        name: masked[name].calls - (plain[name].calls if name in plain else 0) for name in masked
    }
    assert min(more.values()) == 0
    assert sum(more.values()) <= few * steps


def test_a_block_mask_of_known_documents_is_exact_and_its_density_is_told(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script = str(WORKLOADS / "block_mask.py")
    capture, stdout = _emulate(tmp_path, workload_environment, Path(sys.executable), script)
    assert stdout.splitlines()[0] == "[1, 1, 1, 1, 1, 1, 1, 1] [0, 1, 0, 1, 0, 1, 0, 1]"
    (mask,) = block_masks([capture])  # nothing of the one that nobody knows
    assert (mask.computed, mask.blocks) == (12, 64)
