"""Every file of the corpus goes through its reader in C++ once, under the sanitizers."""

import subprocess
from pathlib import Path

import pytest

from fuzz.native_targets import NATIVE_TARGETS, build_replay

CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"


@pytest.mark.parametrize("name", NATIVE_TARGETS)
def test_no_file_of_the_corpus_harms_its_reader(name: str, tmp_path: Path) -> None:
    files = sorted((CORPUS / name).iterdir())
    program = build_replay(name, tmp_path)
    done = subprocess.run([program, *files], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"{len(files)} files\n"), done.stderr
