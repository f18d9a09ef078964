"""Whoever asks wrongly is told what is wrong and what to type, before anything runs."""

import sys
from pathlib import Path

import pytest
from run_facts import write_facts
from training_capture import training

from maya.cli.app import app, printing_errors
from maya.emulator import EmulationResult
from maya.errors import ExitCode
from maya.prediction import RecordingFailedError

PYTHON = "python-that-is-not-there"  # nothing may be started


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended, printing_errors():
        app(list(words))
    told = capsys.readouterr()
    return int(ended.value.code or 0), " ".join((told.out + told.err).split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("run", "no command given hint: maya run --cluster h100:1 -- python train.py"),
        (f"run --cluster mi300x:8 -- {PYTHON}", "AMD GPUs are not emulated"),
        (f"run --tokens-per-step 0 -- {PYTHON}", "--tokens-per-step must be greater than 0, not 0"),
        (f"run --tokens-per-step=-5 -- {PYTHON}", "must be greater than 0, not -5"),
        (f"run --ranks 0 --all-ranks -- {PYTHON}", "contradict each other"),
        (f"run --cluster h100:8x2 --slow-node 2=1.5 -- {PYTHON}", "has nodes 0 to 1"),
        ("report typo", "there is no directory typo"),
        (f"report {__file__}", "is a file, not the directory of a run"),
        (f"export {__file__}", "is a file, not the directory of a run"),
        (f"report {Path(__file__).parent}", "is not the directory of a run: it holds no recording"),
        ("ui typo", "there is no directory typo"),
        ("report typo --json out.txt", "whose name ends in .json, not to out.txt"),
        (f"run --clock warp -- {PYTHON}", "'warp' is not one of 'real', 'virtual'"),
        (f"run --cluster h100:8xx2 -- {PYTHON}", "write GPU:GPUS_PER_NODE, as h100:8"),
        ("export typo --format nsys", "known: kineto, perfetto, sqlite"),
        ("diff typo other", "there is no directory typo"),
        ("run --nonsense", "error: no such option: --nonsense"),
        (f"run --steps many -- {PYTHON}", "--steps must be a whole number, not 'many'"),
        (f"run --steps -3 -- {PYTHON}", "error: --steps must be at least 1, not '-3'"),
        ("bogus", "error: no such command 'bogus' hint: `maya --help` lists"),
        (f"run --cluster h100:1 {PYTHON} train.py --lr 3", f"command not found: {PYTHON}"),
        (f"emulate {PYTHON} train.py --gpus", f"command not found: {PYTHON}"),
        ("search", "no search file given"),
        ("simulate typo --cluster h100:1", "typo"),
        (
            "simulate typo",
            "missing option '--cluster' (env var: 'MAYA_CLUSTER') hint: maya simulate RUN",
        ),
        ("check typo", "there is no directory typo"),
        ("diff typo", "missing argument 'B' hint: maya diff A B"),
        ("hw shwo", "no such command 'shwo'. Did you mean 'show'? hint: `maya hw --help`"),
        ("--nonsense", "no such option: --nonsense hint: `maya --help`"),
        (f"run --max-seconds=-1 -- {PYTHON}", "--max-seconds must be greater than 0, not -1"),
        (f"run --jitter 0.9 -- {PYTHON}", "--jitter must be at most 0.28, not '0.9'"),
    ],
)
def test_a_mistake_is_named_and_ends_with_the_code_of_our_errors(
    capsys: pytest.CaptureFixture[str], words: str, told: str
) -> None:
    code, said = _said(capsys, *words.split())
    assert told in said.replace("│ ", "")
    assert code == ExitCode.ERROR


def test_what_contradicts_itself_is_refused_before_anything_is_announced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, said = _said(capsys, *f"run --ranks 0 --all-ranks -- {PYTHON}".split())
    assert "recording" not in said


def test_a_script_that_is_not_there_is_told_before_anything_is_announced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, said = _said(capsys, "run", "--", "python3", "-u", "nothere.py")
    assert "script not found: nothere.py" in said
    assert "recording" not in said
    assert code == ExitCode.ERROR


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--samples-per-step=-0.5", "--samples-per-step must be greater than 0, not -0.5"),
        ("--samples-per-step nan", "--samples-per-step must be"),
        ("--tokens-per-step inf", "--tokens-per-step must be a finite number, not inf"),
    ],
)
def test_numbers_out_of_range_are_refused_in_plain_words(
    capsys: pytest.CaptureFixture[str], words: str, told: str
) -> None:
    code, said = _said(capsys, *f"run {words} -- {PYTHON}".split())
    assert code == ExitCode.ERROR
    assert told in said.replace("│ ", "")
    assert "Input should" not in said


@pytest.mark.parametrize("cluster", ["h100", "H100:8X4", "h100:8x4"])
def test_clusters_may_be_named_loosely(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    """The cluster is understood: what is missing is the program."""
    _, said = _said(capsys, "run", "--cluster", cluster, "--", PYTHON)
    assert PYTHON in said
    assert "unknown" not in said


def test_an_unknown_sampler_names_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "search.yaml"
    file.write_text(
        f"command: {sys.executable} train.py {{batch}}\nclusters: [h100:1]\n"
        "knobs:\n  batch: {choices: [1, 2]}\nobjectives: step_time\n"
    )
    code, said = _said(capsys, "search", str(file), "--sampler", "bayes", "--dry-run")
    assert code == ExitCode.ERROR
    assert "'tpe', 'cmaes', 'nsga2', 'grid' or 'random'" in said


def test_help_is_also_asked_for_by_a_letter(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = _said(capsys, "run", "-h")
    assert code == ExitCode.OK
    assert "--cluster" in said


def test_the_environment_names_the_usual_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAYA_CLUSTER", "mi300x:8")
    _, said = _said(capsys, "run", "--", PYTHON)
    assert "an AMD GPU" in said


def test_hints_quote_directories_with_blanks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "my run"
    run.mkdir()
    training(run)
    write_facts(run)
    for clusters in ("h100:1", "h100:1,b200:1"):
        with pytest.raises(SystemExit):
            app(["simulate", str(run), "--cluster", clusters])
        assert f"maya report '{run}'" in capsys.readouterr().err
    ended = EmulationResult(run, (run / "1.maya",), 1, "script", 1.0)
    assert f"maya inspect '{run}'" in (RecordingFailedError(ended).hint or "")
