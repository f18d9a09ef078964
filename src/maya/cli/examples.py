"""maya examples: scripts, clusters and search files to start from."""

import json
import re
import shutil
from pathlib import Path

import typer

from maya.cli.render import stdout
from maya.errors import MayaError

examples = typer.Typer(
    help="Scripts, clusters and search files to start from.", no_args_is_help=True
)
_IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
_NAMED = re.compile(r"(?<![\w/.])\w+\.(?:py|json)")
_PACKAGED = Path(__file__).parents[1] / "examples"
_VALIDATION = "validate"  # a directory of programs that nobody starts from
_CLONED = Path(__file__).parents[3] / "examples"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(examples, name="examples")


@examples.command("list")
def list_command() -> None:
    """List the examples, each with what it says of itself."""
    place = example_directory()
    found = _files(place)
    shown = [path for path in found if _VALIDATION not in path.relative_to(place).parts]
    for path in shown:
        stdout.print(f"{path.relative_to(place)}", style="bold", soft_wrap=True)
        if about := _about(path):
            stdout.print(f"    {about}", markup=False, soft_wrap=True)
    if more := len(found) - len(shown):
        stdout.print(f"{_VALIDATION}/", style="bold")
        stdout.print(f"    {more} programs that `maya validate` compares with published steps.")


@examples.command("copy")
def copy_command(
    name: str = typer.Argument(
        metavar="NAME", help="As `maya examples list` shows it, or a directory."
    ),
    target: Path = typer.Argument(Path(), metavar="DIR", help="Where to copy it (default: here)."),
) -> None:
    """Copy an example, or a directory of them, to where you can change it."""
    place = example_directory()
    source, whole = (place / name).resolve(), place.resolve()
    if source == whole or not source.is_relative_to(whole) or not source.exists():
        raise MayaError(f"there is no example {name!r}", hint="maya examples list")
    copied = target / source.name
    if copied.exists():
        raise MayaError(f"{copied} exists", hint="name another directory")
    target.mkdir(parents=True, exist_ok=True)
    needed = [path for path in _needed(source, place) if not (target / path.name).exists()]
    for one in dict.fromkeys([source, *needed]):
        _copy(one, target / one.name)
        stdout.print(f"copied to {target / one.name}", markup=False, soft_wrap=True)


def _copy(source: Path, copied: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, copied, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, copied)


def _needed(source: Path, place: Path) -> list[Path]:
    """Examples that a script imports, or that the search files of a directory run."""
    if source.suffix == ".py":
        return _imported(source)
    texts = [path.read_text(encoding="utf-8") for path in source.glob("*.yaml")]
    named = [place / name for text in texts for name in _NAMED.findall(text)]
    found = [path for path in dict.fromkeys(named) if path.is_file()]
    return [each for path in found for each in (path, *_imported(path))]


def _imported(script: Path) -> list[Path]:
    """Examples beside a script that it imports."""
    names = _IMPORT.findall(script.read_text(encoding="utf-8"))
    found = [path for name in names if (path := script.parent / f"{name}.py").is_file()]
    return [each for path in found for each in (path, *_imported(path))]


def example_directory() -> Path:
    """In the installed package, or in the clone."""
    found = next((path for path in (_PACKAGED, _CLONED) if path.is_dir()), None)
    if found is None:
        raise MayaError("this installation has no examples", hint="install the wheel again")
    return found


def _files(place: Path) -> list[Path]:
    kinds = (".py", ".yaml", ".yml", ".json", ".ipynb")
    return sorted(p for p in place.rglob("*") if p.suffix in kinds and "__pycache__" not in p.parts)


def _about(path: Path) -> str:
    """The first line of its docstring or comment."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return str(json.loads(text)["cells"][0]["source"][0]).strip("# \n") + "."
    first = text.lstrip().partition("\n")[0]
    return first.strip('#" ') if first.startswith(("#", '"""')) else ""
