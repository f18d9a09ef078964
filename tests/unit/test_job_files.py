"""Files that describe jobs to schedulers are read as the schedulers would."""

from pathlib import Path

import pytest

from maya.errors import MayaError
from maya.job_files import JobFile, read_job_file
from maya.job_files.job import gpu_named

SLURM = """#!/bin/bash
#SBATCH --job-name=gpt
#SBATCH -N 4 --ntasks-per-node=8
#SBATCH --gres=gpu:h100:8   # all of a node
srun python train.py
"""
SKYPILOT = """
name: gpt
num_nodes: 2
resources: {accelerators: "A100-80GB:8"}
envs: {LR: 0.1}
run: |
  torchrun --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE train.py
"""
PYTORCH_JOB = """
apiVersion: v1
kind: Service
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Master: &pod
      replicas: 1
      template:
        spec:
          nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
          containers:
          - command: [torchrun, train.py]
            args: [--lr, "1"]
            env: [{name: A, value: "1"}, {name: SECRET, valueFrom: {}}]
            resources: {limits: {nvidia.com/gpu: 8}}
    Worker:
      <<: *pod
      replicas: 3
"""
TRAIN_JOB = """
kind: TrainJob
spec:
  trainer:
    numNodes: 2
    numProcPerNode: 4
    command: [torchrun, train.py]
    resourcesPerNode: {limits: {nvidia.com/gpu: 4}}
"""
JOB_SET = """
kind: JobSet
spec:
  replicatedJobs:
  - replicas: 1
    template:
      spec:
        parallelism: 2
        template:
          spec:
            nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
            containers:
            - command: [python, train.py]
              resources: {limits: {nvidia.com/gpu: 1}}
"""
VOLCANO = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
spec:
  queue: default
  tasks:
  - &task
    name: train-0
    replicas: 1
    template:
      spec:
        nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
        containers:
        - command: [bash, -c, torchrun --nnodes 2 --nproc_per_node 8 train.py]
          env: [{name: TORCHX_RANK0_HOST, value: localhost}]
          resources: {limits: {nvidia.com/gpu: 8}}
  - <<: *task
    name: train-1
"""
TORCHX = """
name: train
roles:
- name: reader
  entrypoint: python
  args: [read.py]
- name: train
  entrypoint: bash
  args: [-c, 'torchrun --rdzv_endpoint $${${rank0_env}:=localhost}:29500 train.py']
  env: {LR: 0.1}
  num_replicas: 2
  resource: {cpu: 8, gpu: 8, memMB: 1024, capabilities: {gpu_type: H100}}
"""


def read(text: str, tmp_path: Path) -> JobFile:
    path = tmp_path / "job"
    path.write_text(text, "utf-8")
    return read_job_file(path)


@pytest.mark.parametrize(
    ("text", "cluster", "variables"),
    [
        (SLURM, "h100:8x4", {"SLURM_NNODES": "4", "SLURM_NTASKS_PER_NODE": "8"}),
        (SKYPILOT, "a100-80:8x2", {"LR": "0.1", "SKYPILOT_NUM_GPUS_PER_NODE": "8"}),
        (PYTORCH_JOB, "h100:8x4", {"A": "1", "PET_NNODES": "4", "PET_NPROC_PER_NODE": "8"}),
        (JOB_SET, "l4:1x2", {"WORLD_SIZE": "2"}),
        (VOLCANO, "h100:8x2", {"TORCHX_RANK0_HOST": "localhost"}),
        (TORCHX, "h100:8x2", {"LR": "0.1"}),
    ],
    ids=["slurm", "skypilot", "pytorchjob", "jobset", "volcano", "torchx"],
)
def test_cluster_and_variables_come_from_the_file(
    text: str, cluster: str, variables: dict[str, str], tmp_path: Path
) -> None:
    job = read(text, tmp_path)
    assert job.cluster() == cluster
    assert variables.items() <= job.env.items()


def test_the_command_is_that_of_the_first_node(tmp_path: Path) -> None:
    assert read(PYTORCH_JOB, tmp_path).command == ("torchrun", "train.py", "--lr", "1")
    assert read(SLURM, tmp_path).command == ("bash", str(tmp_path / "job"))
    assert read(SKYPILOT, tmp_path).command[:2] == ("bash", "-c")
    words = "torchrun --rdzv_endpoint ${TORCHX_RANK0_HOST:=localhost}:29500 train.py"
    assert read(TORCHX, tmp_path).command == ("bash", "-c", words)


def test_a_file_that_names_no_gpu_needs_one_from_the_command_line(tmp_path: Path) -> None:
    job = read(TRAIN_JOB, tmp_path)
    with pytest.raises(MayaError, match="does not say which GPU"):
        job.cluster()
    assert job.cluster("b200") == "b200:4x2"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("#!/bin/bash\necho", "describes no job"),
        ("#!/bin/bash\n#SBATCH --nodes=2\n", "asks for no GPU"),
        ("#!/bin/bash\n#SBATCH --nodes=two --gres=gpu:8\n", "must be a positive number"),
        ("run: x\n", "asks for no GPU"),
        ("roles: [{entrypoint: python}]\n", "asks for no GPU"),
        ("kind: Deployment\n", "describes no job"),
        ("kind: PyTorchJob\nspec: {}\n", "lacks or misspells 'pytorchReplicaSpecs'"),
        ("a: [\n", "line 2"),
    ],
)
def test_other_files_are_refused_with_a_reason(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(MayaError, match=complaint):
        read(text, tmp_path)


def test_aliases_that_multiply_are_refused_at_once(tmp_path: Path) -> None:
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(MayaError, match="counting aliases in full"):
        read("\n".join(bomb), tmp_path)
    with pytest.raises(MayaError, match="nested too deeply"):
        read("[" * 5000, tmp_path)


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("H100", "h100"),
        ("NVIDIA-H100-80GB-HBM3", "h100"),
        ("A100-80GB", "a100-80"),
        ("NVIDIA-A100-SXM4-40GB", "a100-40"),
        ("nvidia-tesla-t4", "t4"),
        ("L40S", "l40s"),
        ("V100-32GB", "v100-32"),
        ("MI300X", None),
        ("", None),
    ],
)
def test_gpus_are_known_by_the_names_of_schedulers(text: str, gpu: str | None) -> None:
    assert gpu_named(text) == gpu
