"""What the documents say about the code is all there."""

import inspect
import re
from itertools import chain
from pathlib import Path

import maya

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "native", "codegen", "benchmarks", "examples", "fuzz", "tests", "workshop")
# A variable stands alone between quotes, or before the value that is given to it.
_VARIABLE = re.compile(r"[\"'](MAYA_[A-Z0-9_]+)[\"'=]")
_MACROS = {"MAYA_EXPORT", "MAYA_RECORDED", "MAYA_UNSUPPORTED"}
_FOR_TESTS = {"MAYA_TEST_MARK"}
GENERATED = {"reference-commands.md", "reference-python.md"}  # by `make docs`
_MOST_WORDS = 80  # of a list item


def source_files() -> list[Path]:
    """Python and C++ sources of ours."""
    found = (chain((ROOT / top).rglob("*.py"), (ROOT / top).rglob("*.[ch]*")) for top in SOURCES)
    return [path for path in chain(*found) if path.is_file() and "gen" not in path.parts]


def variables_in_code() -> set[str]:
    """Names of environment variables that the code reads or sets."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in source_files())
    return set(chain(*(_VARIABLE.findall(text) for text in texts))) - _MACROS - _FOR_TESTS


def test_every_environment_variable_is_documented_and_no_other() -> None:
    """docs/environment.md is the table of all of them."""
    table = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    assert variables_in_code() == set(re.findall(r"`(MAYA_[A-Z0-9_]+)`", table))


def test_links_between_pages_lead_somewhere() -> None:
    """A link to a file names one that exists."""
    for page in [
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def bullets(text: str) -> list[str]:
    """List items of a Markdown file, each with its indented continuation."""
    return re.findall(r"^ *(?:[*-]|\d+\.) (?:.+\n?)(?:^ {2,}(?![*-] ).+\n?)*", text, re.MULTILINE)


def test_no_bullet_is_longer_than_a_breath() -> None:
    """Long list items hide several facts in one."""
    for page in [
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]:
        for bullet in bullets(page.read_text(encoding="utf-8")):
            words = len(bullet.split())
            assert words <= _MOST_WORDS, f"{page.name}: {words} words: {bullet[:60]}"


def test_the_readme_can_be_read_in_one_go() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_architecture_lists_every_package_and_module_and_no_other() -> None:
    """Packages inside packages may have a line of their own."""
    listed = set(re.findall(r"^    src/maya/([a-z_/.]+?)/? ", architecture(), re.MULTILINE))
    package = ROOT / "src/maya"
    there = {path.parent.name for path in package.glob("*/__init__.py")}
    there |= {path.name for path in package.glob("*.py") if not path.name.startswith("__")}
    below = {name for name in listed if "/" in name}
    assert listed - below == there
    assert all((package / name / "__init__.py").exists() for name in below)


def test_arrows_between_packages_are_imports() -> None:
    """Dotted arrows are not: those parts meet in files and in memory."""
    arrows = re.findall(r"^    ([a-z_]+) --> ([a-z_]+)$", architecture(), re.MULTILINE)
    assert len(arrows) > 20
    for user, used in arrows:
        sources = (ROOT / "src/maya" / user).rglob("*.py")
        asks = re.compile(rf"^\s*(from|import) maya\.{used}\b", re.MULTILINE)
        assert any(asks.search(path.read_text("utf-8")) for path in sources), f"{user} --> {used}"


def architecture() -> str:
    """The page with the drawings."""
    return (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_site() -> None:
    """A page that the navigation lacks is found by nobody."""
    told = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} | GENERATED
    assert pages == set(re.findall(r": ([a-z0-9-]+\.md)$", told, re.MULTILINE))


def test_the_reference_names_every_option_and_argument() -> None:
    """`make docs` writes both pages; they are in no commit, so that they cannot be out of date."""
    from codegen import reference

    commands, python = reference.commands(), reference.python()
    for told in ("## maya run", "### maya hw show", "| `--cluster` |", "`-o`, `--output`"):
        assert told in commands
    for name in inspect.signature(maya.run).parameters:
        assert f"| `{name}` |" in python, name
    assert "| `timeline()` |" in python
