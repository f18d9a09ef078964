"""Every note of a prediction has a remedy of its own."""

import inspect
from pathlib import Path

from maya.analyze import notes
from maya.page.advice import OTHERWISE, known_parts, remedy
from maya.trace import helpers


def test_remedies_are_for_notes_that_exist() -> None:
    own = sorted(Path(inspect.getfile(notes)).parent.glob("notes*.py"))
    text = "".join([*(file.read_text("utf-8") for file in own), inspect.getsource(helpers)])
    source = " ".join(text.replace('"', " ").split())
    missing = [part for part in known_parts() if part not in source]
    assert not missing


def test_a_note_that_is_not_known_asks_to_be_read() -> None:
    assert remedy("something new") == OTHERWISE
    assert remedy("the machine was crowded while the program ran") != OTHERWISE
