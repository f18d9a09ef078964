"""A script that loads, trains and saves leaves the user's checkpoint as it was."""

from pathlib import Path

import pytest

from maya.emulator import EmulationOptions, emulate
from maya.rundir import HeldFiles, RunDirectory

SCRIPT = """
import os, shutil
import torch

torch.manual_seed(0)
model = torch.nn.Linear(64, 64)
if not os.path.exists("model.pt"):
    torch.save(model.state_dict(), "model.pt")
model = model.cuda()
model.load_state_dict(torch.load("model.pt"))
optimizer = torch.optim.AdamW(model.parameters())
for step in range(50_000):
    optimizer.zero_grad()
    model(torch.randn(8, 64, device="cuda")).sum().backward()
    optimizer.step()
    torch.save(model.state_dict(), "next.pt")
    os.replace("next.pt", "model.pt")
    os.makedirs(f"checkpoints/{step}", exist_ok=True)
    shutil.copy("model.pt", f"checkpoints/{step}")
    resumed = torch.load(f"checkpoints/{step}/model.pt", map_location="cpu")
    assert list(resumed) == ["weight", "bias"]
    for old in sorted(os.listdir("checkpoints"), key=int)[:-2]:
        shutil.rmtree(f"checkpoints/{old}")
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _files(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and "run" not in path.relative_to(project).parts
    }


def _emulate(python: Path, **options: bool) -> HeldFiles | None:
    result = emulate([str(python), "train.py"], EmulationOptions(output="run", **options))
    assert (result.exit_code, result.ended_by) == (0, "steps")
    facts = RunDirectory(result.run_dir).read_facts()
    assert facts is not None
    return facts.held_files


TRACKED = """
import wandb
print(wandb.init(project="gpt", mode="offline"))
"""
TRACKER = """
def init(project=None, mode=None):
    return f"{project} {mode}"
"""


@pytest.mark.parametrize(("allow_writes", "mode"), [(False, "disabled"), (True, "offline")])
def test_a_tracker_whose_service_cannot_live_on_the_layer_is_disabled(
    project: Path,
    python_cu12: Path,
    capfd: pytest.CaptureFixture[str],
    allow_writes: bool,
    mode: str,
) -> None:
    (project / "train.py").write_text(TRACKED)
    (project / "wandb.py").write_text(TRACKER)
    words = [str(python_cu12), "train.py"]
    result = emulate(words, EmulationOptions(output="run", allow_writes=allow_writes))
    assert result.exit_code == 0
    assert f"gpt {mode}" in capfd.readouterr().out


def test_checkpoints_are_loaded_saved_and_pruned_in_the_programs_eyes_only(
    project: Path, python_cu12: Path
) -> None:
    assert _emulate(python_cu12, allow_writes=True) is None
    assert (project / "model.pt").exists()
    (project / "checkpoints/-1").mkdir()
    (project / "checkpoints/-1/model.pt").write_bytes(b"precious, and the first to be pruned")
    before = _files(project)
    held = _emulate(python_cu12, keep_files=True)
    assert _files(project) == before
    assert held is not None
    assert held.kept is not None
    assert Path(f"{held.kept}{project}/model.pt").exists()
    assert held.bytes > held.files > 0
    assert held.removed >= 2, "the directory and the file in it"
