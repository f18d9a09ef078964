"""Files that taught the readers something, and all that were found to break one, are read again."""

from pathlib import Path

import pytest

from fuzz.native_targets import NATIVE_TARGETS
from fuzz.targets import TARGETS, replay
from maya.cli import check, diff, report

CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_every_file_of_the_corpus_is_read_or_refused(name: str) -> None:
    files = sorted((CORPUS / name).iterdir())
    assert files
    for file in files:
        replay(TARGETS[name], file.read_bytes())


@pytest.mark.parametrize("name", ["summary", "kernels"])
def test_a_kept_prediction_is_shown_by_every_command(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    for module, function in ((report, "print_answer"), (diff, "compare"), (check, "judge")):
        own = getattr(module, function)

        def noted(*given: object, own=own, function=function, **named: object) -> object:
            shown.append(function)
            return own(*given, **named)

        monkeypatch.setattr(module, function, noted)
    replay(TARGETS[name], next((CORPUS / name).iterdir()).read_bytes())
    assert set(shown) == {"print_answer", "compare", "judge"}


def test_every_corpus_has_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {*TARGETS, *NATIVE_TARGETS}
