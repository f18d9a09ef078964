"""The readers that are written in Python. Each takes the bytes of a file that somebody was given.

A reader may refuse a file with a MayaError; anything else that it raises is a finding.
"""

import contextlib
import inspect
import tempfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import typer

from maya.analyze import Options, answer_of
from maya.analyze.allocator import read_allocator
from maya.analyze.limits import Limits
from maya.calibration import calibrate, read_traces
from maya.cli import check, diff, render, report
from maya.errors import MayaError
from maya.estimate import default_chain, read_measurements
from maya.hardware import find_cluster, find_gpu
from maya.job_files import read_job_file
from maya.recipe_search import read_search_file
from maya.recipe_search.choice.history import Done
from maya.recipe_search.choice.pace import paced
from maya.recipe_search.space.space import Point
from maya.recipe_search.trials.jobs import TrialOutcome
from maya.report import summary_lines
from maya.rundir import RunDirectory, names
from maya.summary import read_prediction
from maya.trace import collect

Target = Callable[[bytes], None]


def replay(target: Target, data: bytes) -> None:
    """One execution."""
    with contextlib.suppress(MayaError):
        target(data)


def _in_file(name: str, data: bytes) -> Path:
    path = _directory() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _directory() -> Path:
    global _scratch  # noqa: PLW0603 - one directory a process, in memory where there is room
    if _scratch is None:
        place = "/dev/shm" if Path("/dev/shm").is_dir() else None
        _scratch = tempfile.TemporaryDirectory(prefix="maya-fuzz-", dir=place)
    return Path(_scratch.name)


_scratch: tempfile.TemporaryDirectory[str] | None = None
_CLUSTER = find_cluster("h100:2")
_CHAIN = default_chain()
_SUMMARY = Path(__file__).parent / "corpus" / "summary" / "whole"
_POINT = Point("h100:1", {}, ())
_CHECKED = tuple(field.name for field in fields(Limits))
_ONE_KERNEL = b'{"rows": [{"name": "k", "kind": "kernel", "calls": 2.0, "time_ms": 1.5}]}'


def capture(data: bytes) -> None:
    """A capture, up to the printed answer."""
    run = collect(_in_file("run/rank0-1.maya", data).parent)
    answer = answer_of(run, _CLUSTER, Options(chain=_CHAIN))
    list(summary_lines(answer.summary))


def run_facts(data: bytes) -> None:
    """run.json."""
    path = _in_file(f"facts/{names.RUN}", data)
    RunDirectory(path.parent).read_facts()


def summary(data: bytes) -> None:
    """summary.json, up to what `maya report`, `diff` and `check` print."""
    kept = _in_file(f"kept/{names.SUMMARY}", data).parent
    _in_file(f"kept/{names.KERNELS}", _ONE_KERNEL)
    _show_kept(kept)
    with render.stdout.capture(), contextlib.suppress(typer.Exit):
        _command(check.command, path=kept, **dict.fromkeys(_CHECKED, 1.0))


def kernels(data: bytes) -> None:
    """kernels.json, up to what `maya report` and `diff` print."""
    kept = _in_file(f"table/{names.KERNELS}", data).parent
    _in_file(f"table/{names.SUMMARY}", _SUMMARY.read_bytes())
    read_prediction(kept).kernels()  # most are refused here, before a page of text is laid out
    _show_kept(kept)


def _show_kept(kept: Path) -> None:
    with render.stdout.capture():
        _command(report.command, path=kept)
        _command(diff.command, before=kept, after=kept)


def _command(command: Callable[..., None], **given: object) -> None:
    """A command as the shell calls it: with every option's own default, not typer's note of it."""
    defaults = {
        name: getattr(parameter.default, "default", parameter.default)
        for name, parameter in inspect.signature(command).parameters.items()
    }
    command(**defaults | given)


def allocator(data: bytes) -> None:
    """What PyTorch's allocator told, beside a capture."""
    path = _in_file(f"told/1{names.ALLOCATOR_SUFFIX}", data)
    told = read_allocator(path.with_name("1.maya"))
    if told is not None:
        told.categories_at_peak()


def outcome(data: bytes) -> None:
    """A trial's result, as the storage of a search has it, up to its comparison with others."""
    told = TrialOutcome.from_json(data.decode("utf-8", "replace"))
    trials = [Done(number, _POINT, told) for number in range(3)]
    paced(trials, dict.fromkeys(range(3)))


def cluster(data: bytes) -> None:
    """A cluster file."""
    find_cluster(str(_in_file("cluster.yaml", data)))


def search(data: bytes) -> None:
    """A search file."""
    read_search_file(_in_file("search.yaml", data))


def job(data: bytes) -> None:
    """A job file."""
    read_job_file(_in_file("job", data))


def measurements(data: bytes) -> None:
    """A user's own measurements."""
    read_measurements(_in_file("measured.csv", data))


def trace(data: bytes) -> None:
    """A profiler's trace, up to the factors of families."""
    calibrate(read_traces([_in_file("trace.json", data)]), find_gpu("v100-32"))


_READERS = (
    *(capture, run_facts, summary, kernels, allocator),
    *(cluster, search, job, measurements, outcome, trace),
)
JSON_TARGETS = frozenset(("run_facts", "summary", "kernels", "allocator", "outcome", "trace"))
TARGETS: dict[str, Target] = {reader.__name__: reader for reader in _READERS}
