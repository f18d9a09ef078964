"""A rank that exchanges messages may be watched alone before its partners are launched."""

import sys
from pathlib import Path

import pytest

from maya.analyze import script_ran_out_of_memory
from maya.emulator import EmulationOptions, emulate
from maya.recipe_search.trials.hopeless import out_of_memory
from maya.trace import collect, read_capture

PIPELINE = Path(__file__).parent / "workloads/parallel_pipeline.py"
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
COMMAND = [*TORCHRUN, str(PIPELINE), "--schedule", "gpipe", "--layers", "1"]


def _launches(said: list[str]) -> int:
    return sum(line.startswith("launching") for line in said)


@pytest.mark.parametrize("hopeless", [False, True])
def test_partners_are_launched_once_nothing_more_is_learnt(hopeless: bool, tmp_path: Path) -> None:
    said: list[str] = []
    alone: list[int] = []

    def steps(run_dir: Path) -> int:
        (capture,) = (read_capture(path) for path in run_dir.glob("*.maya"))
        kinds = {d.id for d in capture.definitions() if d.op == "step_boundary"}
        return sum(event in kinds for event in capture.events["def"].tolist())

    def seen_alone(run_dir: Path) -> bool:
        alone.append(steps(run_dir))
        return alone[-1] >= 2

    options = EmulationOptions(
        gpus=2,
        nodes=1,
        steps=20,
        output=tmp_path / "run",
        say=said.append,
        seen_alone=seen_alone,
        enough=lambda run_dir: hopeless and _launches(said) == 1 and max(alone, default=0) >= 1,
    )
    result = emulate(COMMAND, options)
    assert max(alone) >= 1  # it went on although its partner had not been launched
    assert len(result.captures) == (1 if hopeless else 2)
    assert _launches(said) == (1 if hopeless else 2)


TOO_LARGE = """
import os, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
token = torch.ones(4, device="cuda")
dist.send(token, 1) if dist.get_rank() == 0 else dist.recv(token, 0)
large = torch.empty(1 << 40, device="cuda")
"""


def test_partners_are_not_launched_once_a_rank_ran_out_of_memory(tmp_path: Path) -> None:
    script = tmp_path / "too_large.py"
    script.write_text(TOO_LARGE)
    said: list[str] = []
    options = EmulationOptions(
        gpus=2,
        nodes=1,
        output=tmp_path / "run",
        say=said.append,
        seen_alone=lambda _: False,
        enough=out_of_memory,
    )
    result = emulate([*TORCHRUN, str(script)], options)
    assert _launches(said) == 1
    assert len(result.captures) == 1
    assert script_ran_out_of_memory(collect(tmp_path / "run"))
