"""Files that taught the readers something, and all that were found to break one, are read again."""

from pathlib import Path

import pytest

from fuzz.native_targets import NATIVE_TARGETS
from fuzz.targets import TARGETS, replay

CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_every_file_of_the_corpus_is_read_or_refused(name: str) -> None:
    files = sorted((CORPUS / name).iterdir())
    assert files
    for file in files:
        replay(TARGETS[name], file.read_bytes())


def test_every_corpus_has_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {*TARGETS, *NATIVE_TARGETS}
