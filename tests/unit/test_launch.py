"""Launching commands: bad input, endings, run directories. No emulated library is needed."""

import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from maya import EmulationOptions, EmulationResult, MayaError, emulate
from maya.emulator import execute as run_module
from maya.emulator import job, process
from maya.emulator.environment import child_environment, guess_gpu_count
from maya.emulator.target import (
    Torch,
    find_interpreter,
    find_torch,
    parse_torch_version,
    resolve,
)
from maya.errors import ExitCode
from maya.rundir import RunDirectory, names


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(code: str, **options: Any) -> EmulationResult:
    command = [sys.executable, "-c", code]
    given = {"preload": (), "check_torch": False} | options
    return emulate(command, EmulationOptions(**given))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "no command given"),
        (["no-such-command"], "command not found: no-such-command"),
        ([sys.executable, "missing.py"], "script not found: missing.py"),
        ([sys.executable, "-W", "ignore", "-u", "missing.py"], "script not found: missing.py"),
    ],
)
def test_a_command_that_cannot_run_is_refused_before_launch(
    command: list[str], message: str
) -> None:
    with pytest.raises(MayaError, match=message) as caught:
        emulate(command, EmulationOptions(preload=()))
    assert caught.value.hint
    assert not Path("maya-runs").exists()


def test_who_records_into_an_earlier_run_is_told_that_it_is_replaced() -> None:
    said: list[str] = []
    for _ in range(2):
        run("pass", output="again", say=said.append)
    first, second = (line for line in said if line.startswith("run directory"))
    assert "replaced" not in first
    assert second == f"{first}; the earlier run in it is replaced"


def test_files_cannot_be_kept_that_are_not_held_back() -> None:
    with pytest.raises(MayaError, match="--keep-files and --allow-writes exclude each other"):
        run("pass", keep_files=True, allow_writes=True)


def test_unknown_gpu_is_refused() -> None:
    with pytest.raises(MayaError, match="unknown GPU"):
        run("pass", gpu="voodoo2")


@pytest.mark.parametrize("options", [{"steps": -1}, {"max_seconds": 0}, {"gpus": 0 - 1}])
def test_senseless_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(MayaError):
        run("pass", **options)


def test_torch_without_cuda_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('torch must not be imported')")
    (package / "version.py").write_text("__version__ = '2.9.1+cpu'\ncuda = None\n")
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    with pytest.raises(MayaError, match="build without CUDA") as caught:
        emulate([sys.executable, "-c", "pass"], EmulationOptions(preload=()))
    assert "pip install torch" in (caught.value.hint or "")


def test_missing_torch_is_refused_unless_told_otherwise(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "bare"], check=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    with pytest.raises(MayaError, match="has no torch"):
        resolve([python, "-c", "pass"])
    assert resolve([python, "-c", "pass"], check_torch=False).cuda_major == 12


def test_torch_version_is_read_in_its_forms() -> None:
    new = parse_torch_version("__version__ = '2.15.0'\ncuda: Optional[str] = '13.2'\n")
    assert (new.version, new.cuda_major) == ("2.15.0", 13)
    old = parse_torch_version("__version__ = '2.2.2+cu121'\ncuda = '12.1'\nhip = None")
    assert (old.version, old.cuda_major) == ("2.2.2+cu121", 12)


def test_interpreter_of_a_console_script_is_found(tmp_path: Path) -> None:
    script = tmp_path / "torchrun"
    script.write_text(f"#!{sys.executable}\n")
    assert find_interpreter(str(script)) == sys.executable
    script.write_text("#!/bin/sh\n")
    assert find_interpreter(str(script)) is None
    assert find_interpreter("/bin/sh") is None


def test_output_and_exit_code_are_the_scripts_own(capfd: pytest.CaptureFixture[str]) -> None:
    result = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    out, err = capfd.readouterr()
    assert (out, err) == ("out\n", "err\n")
    assert (result.exit_code, result.ended_by) == (7, "script")
    assert result.status == ExitCode.SCRIPT_FAILED
    written = json.loads((result.run_dir / "run.json").read_text())
    assert (written["exit_code"], written["gpu"], written["gpus"]) == (7, "h100", 1)


def test_script_that_ends_by_itself_is_fine() -> None:
    result = run("pass")
    assert (result.exit_code, result.ended_by, result.status) == (0, "script", ExitCode.OK)
    assert result.run_dir.parent == Path.cwd() / "maya-runs"


def test_script_sees_the_environment_of_the_emulator(capfd: pytest.CaptureFixture[str]) -> None:
    run("import os, json; print(json.dumps(dict(os.environ)))", gpus=4, steps=5, strict=True)
    seen = json.loads(capfd.readouterr().out)
    assert (seen["MAYA_GPU_COUNT"], seen["MAYA_STEPS"], seen["MAYA_STRICT"]) == ("4", "5", "1")
    assert "name=NVIDIA H100 80GB HBM3" in Path(seen["MAYA_DEVICE_FILE"]).read_text()
    assert seen["WANDB_MODE"] == "disabled"


def test_emulator_that_stops_the_script_makes_a_good_ending() -> None:
    code = "import os, sys; open(os.environ['MAYA_RUN_DIR'] + '/stop', 'w').write('steps reached')"
    result = run(code)
    assert (result.ended_by, result.status) == ("steps", ExitCode.OK)


def test_script_that_ignores_the_stop_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "STOP_GRACE_S", 0.2)
    code = "import os, time; open(os.environ['MAYA_RUN_DIR'] + '/stop', 'w'); time.sleep(60)"
    result = run(code)
    assert (result.ended_by, result.status) == ("steps", ExitCode.OK)
    assert result.wall_seconds < 30


def test_script_that_runs_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "LATE_S", 0.0)
    result = run("import time; time.sleep(60)", max_seconds=0.5)
    assert (result.ended_by, result.status) == ("max-seconds", ExitCode.OK)
    assert result.wall_seconds < 30


@pytest.mark.parametrize("steps", [0, 3])
def test_a_spinning_script_that_ignores_signals_is_ended_in_time(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr(run_module, "LATE_S", 0.0)
    monkeypatch.setattr(process, "SIGNAL_GRACE_S", 0.3)
    code = "import signal as s; s.signal(2, s.SIG_IGN); s.signal(15, s.SIG_IGN)\nwhile True: pass"
    result = run(code, max_seconds=1.0, steps=steps)
    assert (result.ended_by, result.exit_code) == ("max-seconds", -9)
    assert result.wall_seconds < 60  # it would never end; a busy machine takes its part of them


def test_all_passes_of_a_command_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def execute(
        _commands: Any, run_dir: RunDirectory, max_seconds: float, _enough: Any
    ) -> EmulationResult:
        given.append(max_seconds)
        run_dir.file(names.PARTNERS, rank=0).write_text("{0} {0} 7\n".format(len(given)))
        time.sleep(0.2)
        return EmulationResult(run_dir.path, (), 0, "script", 0.2)

    monkeypatch.setattr(job, "execute", execute)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "8", "t.py"]
    Path("t.py").touch()
    options = EmulationOptions(preload=(), check_torch=False, gpus=8, nodes=1, max_seconds=0.5)
    with pytest.raises(MayaError, match="--max-seconds was over"):
        emulate(launcher, options)
    assert 2 <= len(given) <= 3  # as a busy machine lets it
    assert all(later < earlier - 0.19 for earlier, later in pairwise(given))


@pytest.mark.usefixtures("torch_seen_from_outside")
def test_an_interpreter_whose_answer_was_killed_is_asked_again(tmp_path: Path) -> None:
    interpreter = tmp_path / "python"
    once = f"[ -e {tmp_path}/asked ] || {{ touch {tmp_path}/asked; kill -9 $$; }}"
    interpreter.write_text(f'#!/bin/sh\n{once}\nexec {sys.executable} "$@"\n')
    interpreter.chmod(0o700)
    assert find_torch(str(interpreter)) == Torch("2.9.1", "12.8")
    assert (tmp_path / "asked").exists()


def test_strict_ending_has_its_own_exit_code() -> None:
    code = "import os, sys; open(os.environ['MAYA_RUN_DIR'] + '/strict', 'w'); sys.exit(5)"
    result = run(code, strict=True)
    assert (result.ended_by, result.status) == ("strict", ExitCode.UNSUPPORTED)


def test_full_disk_leaves_no_run_that_looks_valid() -> None:
    code = "import os; open(os.environ['MAYA_RUN_DIR'] + '/error', 'w').write('disk full')"
    with pytest.raises(MayaError, match="disk full") as caught:
        run(code, output=Path("here"))
    assert caught.value.exit_code == ExitCode.ERROR
    assert not Path("here/run.json").exists()


def test_foreign_files_are_not_overwritten_but_earlier_runs_are() -> None:
    home = Path("home")
    home.mkdir()
    (home / "thesis.tex").touch()
    with pytest.raises(MayaError, match="not empty"):
        run("pass", output=home)
    run("pass", output=home, force=True)
    assert (home / "thesis.tex").exists()
    run("pass", output=Path("run"))
    Path("run/rank0-1.maya").touch()
    assert run("pass", output=Path("run")).captures == ()


def test_a_file_or_a_place_without_rights_is_refused(tmp_path: Path) -> None:
    Path("file").touch()
    with pytest.raises(MayaError, match="is a file"):
        run("pass", output=Path("file"))
    with pytest.raises(MayaError, match="cannot write"):
        run("pass", output=Path("/proc/maya"))


def test_preload_keeps_our_order_and_what_was_there() -> None:
    env = child_environment(
        {"LD_PRELOAD": "libjemalloc.so", "WANDB_MODE": "online"},
        preload=[Path("/n/libmaya_core.so"), Path("/n/libcudart.so.12")],
        run_dir=Path("/r"),
        device_file=Path("/r/device.txt"),
        gpus=1,
        steps=3,
        max_seconds=600,
        strict=False,
        record=False,
    )
    assert env["LD_PRELOAD"] == "/n/libmaya_core.so:/n/libcudart.so.12:libjemalloc.so"
    assert (env["WANDB_MODE"], env["MAYA_RECORD"], env["MAYA_MAX_SECONDS"]) == (
        "online",
        "0",
        "600",
    )


@pytest.mark.parametrize(
    ("command", "gpus"),
    [
        ("python train.py", 1),
        ("torchrun --nproc-per-node 4 train.py", 4),
        ("torchrun --nproc_per_node=2 train.py", 2),
        ("accelerate launch --num_processes 8 train.py", 8),
        ("torchrun --nproc-per-node gpu train.py", 1),
    ],
)
def test_gpu_count_follows_the_launcher(command: str, gpus: int) -> None:
    assert guess_gpu_count(command.split()) == gpus


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["emulate", "--gpu", "h10", "--", "true"], "unknown GPU"),
        (["emulate"], "no command given"),
        (["inspect", "/nowhere"], "does not exist"),
        (["hw", "show", "voodoo"], "unknown GPU"),
    ],
)
def test_command_line_prints_one_message_and_a_hint(words: list[str], message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "maya", *words], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_of_jax_needs_no_torch(tmp_path: Path) -> None:
    """The plugin tells the CUDA version; an interpreter with neither is refused."""
    found = {12: 12, 13: 13, None: None}
    for major, expected in found.items():
        interpreter = tmp_path / str(major) / "python"
        interpreter.parent.mkdir()
        majors = [] if major is None else [major]
        answer = json.dumps({"torch": False, "version": None, "jax": majors})
        interpreter.write_text(f"#!/bin/sh\necho '{answer}'\n")
        interpreter.chmod(0o700)
        if expected is None:
            with pytest.raises(MayaError, match="has no torch"):
                resolve([str(interpreter), "-c", "pass"])
        else:
            assert resolve([str(interpreter), "-c", "pass"]).cuda_major == expected
