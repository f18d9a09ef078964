"""What every command understands beyond click: `--json [FILE]`, and defaults from a file."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from typer.core import TyperGroup

from maya.cli.defaults import find_defaults
from maya.cli.usage import UsageError, usage_mistake
from maya.errors import MayaError
from maya.mistakes import about_value


class MayaGroup(TyperGroup):
    """The whole command line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Once, before any command."""
        ctx.default_map = find_defaults(
            {name: _options(self.commands[name]) for name in self.commands}
        )
        try:
            return super().parse_args(ctx, name_stdout(args))
        except UsageError as error:
            if not args:  # the help is shown instead
                raise
            raise usage_mistake(error) from error

    def invoke(self, ctx: Any) -> Any:
        """A mistake in a command's words is told as all our errors are."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            if isinstance(error.__cause__, ValidationError):  # newer versions of typer
                error.message = about_value(error.__cause__.errors()[0])
            if type(error).__name__ == "NoArgsIsHelpError":  # of a group without a command
                raise
            raise usage_mistake(error) from error


def name_stdout(args: list[str]) -> list[str]:
    """`--json` alone as `--json -`: click has no options whose value may be left out.

    Only a name that ends in .json is a file, so that `maya report --json RUN` still means RUN.
    """
    check_json_name(args)
    end = args.index("--") if "--" in args else len(args)
    words: list[str] = []
    for index, word in enumerate(args):
        words.append(word)
        following = args[index + 1] if index + 1 < end else ""
        if (
            index < end
            and word == "--json"
            and following != "-"
            and not following.endswith(".json")
        ):
            words.append("-")
    return words


def check_json_name(args: list[str]) -> None:
    """Refuse what was meant as a file, and would be taken for the run."""
    own = args[: args.index("--")] if "--" in args else args
    for word, following in pairwise(own):
        name = Path(following)
        if word == "--json" and name.suffix not in ("", ".json") and not name.exists():
            raise MayaError(
                f"--json writes to a file whose name ends in .json, not to {following}",
                hint=f"--json {name.with_suffix('.json')}",
            )


def _options(command: Any) -> frozenset[str]:
    return frozenset(one.name for one in command.params if one.param_type_name == "option")
