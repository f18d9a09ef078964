"""maya examples: to be found and copied without a clone."""

import shlex
from pathlib import Path

import pytest

from maya.cli.app import app, printing_errors
from maya.errors import ExitCode


def _maya(*words: str) -> int:
    with pytest.raises(SystemExit) as ended, printing_errors():
        app(["examples", *words])
    return int(ended.value.code or 0)


def test_examples_say_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert _maya("list") == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("train_gpt2.py")
    assert lines[at + 1].startswith("    ")
    assert any(line.startswith("search/") for line in lines)


def test_a_script_or_a_directory_is_copied_once(tmp_path: Path) -> None:
    for name in ("train_gpt2.py", "search"):
        assert _maya("copy", name, str(tmp_path)) == ExitCode.OK
        assert _maya("copy", name, str(tmp_path)) == ExitCode.ERROR  # nothing is overwritten
    assert "import torch" in (tmp_path / "train_gpt2.py").read_text()
    assert list((tmp_path / "search").glob("*.yaml"))


@pytest.mark.parametrize("name", ["nonsense", "../README.md", "."])
def test_only_examples_are_copied(name: str, tmp_path: Path) -> None:
    assert _maya("copy", name, str(tmp_path)) == ExitCode.ERROR
    assert not list(tmp_path.iterdir())


def test_a_script_comes_with_the_examples_that_it_imports(tmp_path: Path) -> None:
    assert _maya("copy", "train_megatron.py", str(tmp_path)) == ExitCode.OK
    copied = {path.name for path in tmp_path.iterdir()}
    assert copied == {"train_megatron.py", "megatron_layers.py"}


def test_copied_search_files_find_the_scripts_that_they_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _maya("copy", "search", str(tmp_path)) == ExitCode.OK
    monkeypatch.chdir(tmp_path)
    for file in (tmp_path / "search/gpt2.yaml", tmp_path / "search/deepspeed.yaml"):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended, printing_errors():
            app(["search", str(file), "--dry-run"])
        assert not ended.value.code
        words = shlex.split(capsys.readouterr().out.splitlines()[0])
        assert all(Path(word).is_file() for word in words if word.endswith((".py", ".json")))
