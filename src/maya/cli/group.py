"""What every command understands beyond click: `--json [FILE]`, and defaults from a file."""

from typing import Any

import typer
from pydantic import ValidationError
from typer.core import TyperGroup

from maya.cli.defaults import find_defaults
from maya.mistakes import plain_words


class MayaGroup(TyperGroup):
    """The whole command line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Once, before any command."""
        ctx.default_map = find_defaults(
            {name: _options(self.commands[name]) for name in self.commands}
        )
        return super().parse_args(ctx, name_stdout(args))

    def invoke(self, ctx: Any) -> Any:
        """A value out of range is refused in our words: newer versions of typer have pydantic's."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if isinstance(error.__cause__, ValidationError):
                detail = error.__cause__.errors()[0]
                error.message = f"{plain_words(detail)}, not {detail['input']!r}"
            raise


def name_stdout(args: list[str]) -> list[str]:
    """`--json` alone as `--json -`: click has no options whose value may be left out.

    Only a name that ends in .json is a file, so that `maya report --json RUN` still means RUN.
    """
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


def _options(command: Any) -> frozenset[str]:
    return frozenset(one.name for one in command.params if one.param_type_name == "option")
