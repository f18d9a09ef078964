"""Launchers that a command comes to by way of another program, or that stand in its own code."""

import sys
from pathlib import Path

import pytest

from maya.emulator import EmulationOptions, emulate
from maya.trace import collect

DDP = """
import os, torch, torch.distributed as dist
dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["SLURM_LOCALID"]))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
optimizer = torch.optim.SGD(model.parameters(), 0.1)
while True:
    model(torch.randn(8, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
BATCH = """#!/bin/bash
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun --nodes=2 --ntasks-per-node=4 {python} train.py
"""
LIGHTNING = """
import pytorch_lightning as pl, torch
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)
    def training_step(self, batch, index):
        return self.layer(batch[0]).pow(2).mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
data = torch.utils.data.TensorDataset(torch.randn(1 << 17, 64))
trainer = pl.Trainer(accelerator="gpu", devices=4, num_nodes=2, max_epochs=1, logger=False,
                     enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=8))
"""
SPAWN = """
import os, torch, torch.distributed as dist, torch.multiprocessing as mp

def train(rank, world):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "29581"
    dist.init_process_group("nccl", rank=rank, world_size=world)
    torch.cuda.set_device(rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    while True:
        model(torch.randn(8, 64, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

if __name__ == "__main__":
    world = torch.cuda.device_count()
    mp.spawn(train, args=(world,), nprocs=world)
"""
# Where Ray Train keeps its trainer, with the two ways that `fit` can go.
RAY = """
class DataParallelTrainer:
    def __init__(self, loop, scaling_config):
        self.loop, self.scaling_config, self.datasets = loop, scaling_config, {}
        self.running_in_local_mode = False
    def fit(self):
        assert self.running_in_local_mode, "actors are started"
        self.loop()
"""
FIT = """
import os, types, torch, torch.distributed as dist
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

def loop():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    while True:
        model(torch.randn(8, 64, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

DataParallelTrainer(loop, types.SimpleNamespace(num_workers=4, use_gpu=True)).fit()
"""
IN_PYTHON = """
import sys
from torch.distributed import run
options = ["--nproc-per-node", "4", "--nnodes", "2", "train.py"]
run.run(run.get_args_parser().parse_args(options))
"""


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"train.py": DDP, "job.sh": BATCH}, ["bash", "job.sh"]),
        ({"light.py": LIGHTNING}, [sys.executable, "light.py"]),
        (
            {"train.py": DDP.replace("SLURM_LOCALID", "LOCAL_RANK"), "tune.py": IN_PYTHON},
            [sys.executable, "tune.py"],
        ),
    ],
    ids=["srun in a batch script", "Lightning's own ranks", "torchrun called from Python"],
)
def test_ranks_of_a_launcher_found_on_the_way_are_represented(
    files: dict[str, str], command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace("{python}", sys.executable), "utf-8")
    monkeypatch.chdir(tmp_path)
    options = EmulationOptions(gpus=4, nodes=2, output=tmp_path / "run")
    result = emulate(command, options)
    assert result.ended_by == "steps"
    assert len(result.captures) == 1
    facts = collect(tmp_path / "run").facts
    assert facts is not None
    assert facts.ranks is not None
    assert facts.ranks.world_size == 8


@pytest.mark.parametrize(
    "files",
    [{"start.py": SPAWN}, {"start.py": FIT, "ray/train/v2/api/data_parallel_trainer.py": RAY}],
    ids=["mp.spawn", "Ray Train"],
)
def test_ranks_that_a_program_starts_itself_are_represented(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    for package in ("ray", "ray/train", "ray/train/v2", "ray/train/v2/api"):
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    options = EmulationOptions(gpus=4, nodes=1, output=tmp_path / "run")
    result = emulate([sys.executable, "start.py"], options)
    assert result.ended_by == "steps"
    assert len(result.captures) == 1
    facts = collect(tmp_path / "run").facts
    assert facts is not None
    assert facts.ranks is not None
    assert facts.ranks.world_size == 4
