"""`maya.run` and the others take what their commands take: names and defaults cannot drift."""

import inspect
from collections.abc import Callable
from importlib.metadata import version
from types import ModuleType
from typing import Any

import pytest
from typer.models import OptionInfo

import maya
from maya.cli import run, search, simulate

# What is about printing; and what a shell gives in another way.
PRINTING = {"json", "quiet", "verbose", "top", "dry_run", "schema"}
ARGUMENTS = {"words", "path", "context"}
PYTHON_ONLY = {"env"}


def options_of(command: Callable[..., Any]) -> dict[str, Any]:
    """Name and default of every option of a command."""
    found = inspect.signature(command).parameters.values()
    return {p.name: _default(p.default) for p in found if p.name not in ARGUMENTS | PRINTING}


def _default(value: Any) -> Any:
    default = value.default if isinstance(value, OptionInfo) else value
    return inspect.Parameter.empty if default is ... else default


@pytest.mark.parametrize(
    ("function", "module"),
    [(maya.run, run), (maya.simulate, simulate), (maya.search, search)],
)
def test_functions_take_the_options_of_their_commands(
    function: Callable[..., Any], module: ModuleType
) -> None:
    taken = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in PYTHON_ONLY
    }
    assert taken == options_of(module.command)


@pytest.mark.parametrize("function", [maya.run, maya.search])
def test_every_option_is_explained(function: Callable[..., Any]) -> None:
    told = inspect.getdoc(function) or ""
    for name in inspect.signature(function).parameters:
        assert f"\n    {name}: " in told


@pytest.mark.parametrize("function", [maya.run, maya.simulate, maya.search, maya.emulate])
def test_no_function_hides_its_options(function: Callable[..., Any]) -> None:
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_maya_says_which_one_it_is() -> None:
    assert maya.__version__ == version("maya-sim")
