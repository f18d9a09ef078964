"""Files that taught the readers something, and all that were found to break one, are read again."""

import json
from pathlib import Path

import pytest

from fuzz.json_mutator import mutate
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


@pytest.mark.parametrize(
    ("name", "readers"),
    [
        ("summary", {"print_answer", "compare", "judge"}),
        ("kernels", {"print_answer", "compare"}),  # `maya check` does not read it
    ],
)
def test_a_kept_prediction_is_shown_by_every_command_that_reads_it(
    name: str, readers: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    for module, function in ((report, "print_answer"), (diff, "compare"), (check, "judge")):
        own = getattr(module, function)

        def noted(*given: object, own=own, function=function, **named: object) -> object:
            shown.append(function)
            return own(*given, **named)

        monkeypatch.setattr(module, function, noted)
    replay(TARGETS[name], next((CORPUS / name).iterdir()).read_bytes())
    assert set(shown) == readers


def test_every_corpus_has_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {*TARGETS, *NATIVE_TARGETS}


def test_half_of_the_changed_documents_come_from_whole_ones() -> None:
    """The fuzzer keeps the shortest document that reaches the same code: mostly a broken one."""
    whole = json.dumps({"steps": 3, "ranks": [1, 2, 3, 4], "name": "x" * 200}).encode()
    made = [mutate(b"{}", 65536, seed, lambda data, _: data, [whole]) for seed in range(200)]
    assert 50 < sum(b"x" * 200 in one for one in made) < 150
