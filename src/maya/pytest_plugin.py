"""pytest --maya: tests that hold a training command against limits of time and memory.

    @pytest.mark.maya(cluster="h100:8", max_step_ms=250, max_memory_gb=70)
    def test_the_step_stays_fast(maya_run):
        report = maya_run("torchrun --nproc-per-node 8 train.py")

Without --maya such tests are skipped: emulating takes seconds to minutes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import pytest

import maya
from maya.api.report import Report

_Options = ParamSpec("_Options")
_MARKER = (
    "maya(cluster=..., max_step_ms=..., max_memory_gb=...): predict with `maya_run` on this "
    "cluster and fail where a limit of `maya check` is missed; other keywords are options of "
    "maya.run"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--maya` runs them; the cluster may be named for all."""
    group = parser.getgroup("maya", "training commands predicted without GPUs")
    group.addoption("--maya", action="store_true", help="run the tests that use Maya")
    group.addoption(
        "--maya-cluster", metavar="C", help="cluster of tests whose marker names none (h100:8)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """So that --strict-markers knows ours."""
    config.addinivalue_line("markers", _MARKER)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip them unless they are asked for."""
    if config.getoption("--maya"):
        return
    skipped = pytest.mark.skip(reason="needs --maya")
    for item in items:
        fixtures: Sequence[str] = getattr(item, "fixturenames", ())
        if item.get_closest_marker("maya") or "maya_run" in fixtures:
            item.add_marker(skipped)


def _with_signature_of(
    function: Callable[_Options, Report],
) -> Callable[[Callable[..., Report]], Callable[Concatenate[Any, _Options], Report]]:
    """Editors and `help` show what the method passes on: the parameters of `function`."""

    def shown(method: Callable[..., Report]) -> Callable[Concatenate[Any, _Options], Report]:
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        theirs = inspect.signature(function)
        parameters = [own, *theirs.parameters.values()]
        method.__signature__ = theirs.replace(parameters=parameters)  # type: ignore[attr-defined]
        return method

    return shown


class MayaRun:
    """`maya.run` with the marker's cluster and options; fails where its limits are missed."""

    def __init__(self, asked: Mapping[str, Any], output: Path) -> None:
        limits = _limit_names()
        self._limits = {key: value for key, value in asked.items() if key in limits}
        own = {key: value for key, value in asked.items() if key not in limits}
        self._options: dict[str, Any] = {"output": output, "force": True} | own

    @_with_signature_of(maya.run)
    def __call__(self, command: str | Sequence[str] = (), **options: Any) -> Report:
        report = maya.run(command, **self._options | options)
        _judge(report, self._limits)
        return report


@pytest.fixture
def maya_run(request: pytest.FixtureRequest, tmp_path: Path) -> MayaRun:
    """`maya.run` with the marker's cluster and options; fails where its limits are missed."""
    return MayaRun(_marked(request), tmp_path / "maya-run")


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The nearest marker wins, keyword by keyword."""
    asked: dict[str, Any] = {}
    if cluster := request.config.getoption("--maya-cluster"):
        asked["cluster"] = cluster
    for marker in reversed(list(request.node.iter_markers("maya"))):
        asked |= marker.kwargs
    return asked


def _limit_names() -> frozenset[str]:
    from dataclasses import fields

    from maya.analyze.limits import Limits

    return frozenset(field.name for field in fields(Limits))


def _judge(report: Report, limits: dict[str, float]) -> None:
    from maya.analyze.limits import Limits, judge
    from maya.report import answer_line
    from maya.report.check_text import figure

    missed = [one for one in judge(report.summary, Limits(**limits)) if not one.good]
    if missed:
        told = "; ".join(f"{one.name} {figure(one)}, limit {one.limit:,.4g}" for one in missed)
        pytest.fail(f"{told}. {answer_line(report.summary)}", pytrace=False)
