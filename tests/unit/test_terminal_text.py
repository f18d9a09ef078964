"""What files say is shown, never obeyed by the terminal."""

import io
from pathlib import Path

import pytest
from rich.table import Table

from maya.cli import main
from maya.cli.render import SafeConsole, print_rows, visible_text

HOSTILE = "gemm\x1b]0;owned\x07\x1b[2J\x9b31mkernel"


def test_escapes_are_shown_as_text_in_lines_and_tables() -> None:
    out = io.StringIO()
    console = SafeConsole(file=out, force_terminal=True, width=200)
    table = Table("kernel", box=None)
    table.add_row(HOSTILE)
    for printed in (HOSTILE, table):
        console.print(printed, markup=False, highlight=False)
    assert out.getvalue().count(r"gemm\x1b]0;owned\x07\x1b[2J\x9b31mkernel") == 2
    assert not [text for text in ("\x1b]", "\x07", "\x1b[2J", "\x9b") if text in out.getvalue()]


def test_lines_and_tabs_and_letters_of_all_languages_stay() -> None:
    assert visible_text("a\tb\nü 核") == "a\tb\nü 核"


def test_error_about_a_hostile_file_name_is_harmless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["maya", "report", str(tmp_path / "a\x1b[2Jb")])
    with pytest.raises(SystemExit):
        main()
    assert "\x1b[2J" not in capfd.readouterr().err


def test_long_lines_go_on_below_their_own_text_in_a_narrow_terminal() -> None:
    out = io.StringIO()
    console = SafeConsole(file=out, force_terminal=True, color_system=None, width=60)
    print_rows(console, [f"{'note':<15}{'word ' * 30}end", f"{'step':<15}short"])
    first, *others = out.getvalue().splitlines()
    assert first.startswith("note           word word")
    assert max(map(len, [first, *others])) <= 60
    assert all(line.startswith(" " * 15 + "word") or "end" in line for line in others[:-1])
    assert others[-1] == "step           short"


def test_no_line_is_wider_than_a_hundred_columns_where_nobody_looks() -> None:
    out = io.StringIO()
    print_rows(SafeConsole(file=out, width=300), [f"{'note':<15}{'word ' * 90}"])
    assert max(map(len, out.getvalue().splitlines())) <= 100
