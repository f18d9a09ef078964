"""action.yml: what it types is what the commands take."""

import re
from pathlib import Path

import typer
import yaml

from maya.cli.app import app

FILE = Path(__file__).parents[2] / "action.yml"


def test_the_action_uses_options_that_exist() -> None:
    described = yaml.safe_load(FILE.read_text("utf-8"))
    steps = described["runs"]["steps"]
    typed = re.findall(r"\bmaya (\w+) ([^|\n]*)", "\n".join(step.get("run", "") for step in steps))
    assert {command for command, _ in typed} == {"run", "report", "check"}
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for command, rest in typed:
        known = {name for one in commands[command].params for name in one.opts}
        own = rest.partition(" -- ")[0]
        assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", f" {own}")) <= known


def test_every_input_is_used() -> None:
    text = FILE.read_text("utf-8")
    for name in yaml.safe_load(text)["inputs"]:
        assert f"inputs.{name} " in text
