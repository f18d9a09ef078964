"""What the summary says of files that a program wrote."""

from dataclasses import replace

from maya.report.files_text import held_files_text
from maya.rundir import HeldFiles

HELD = HeldFiles(files=3, bytes=2048, removed=0)


def test_files_that_would_be_on_disk_are_counted() -> None:
    assert held_files_text(HELD).startswith("3 files (2.00 KiB) written by the program: held back")
    assert held_files_text(replace(HELD, files=1)).startswith("1 file (")


def test_pruned_checkpoints_are_told_apart() -> None:
    assert "3 files (2.00 KiB) written by the program, 2 of them removed again: held back" in (
        held_files_text(replace(HELD, removed_again=2))
    )


def test_a_program_that_left_only_temporary_files_has_changed_nothing() -> None:
    assert held_files_text(replace(HELD, removed_again=3)) == ""


def test_files_of_the_user_that_it_removed_are_named_in_any_case() -> None:
    told = held_files_text(replace(HELD, removed_again=3, removed=1))
    assert told.startswith("1 of yours that it removed or renamed: held back")
