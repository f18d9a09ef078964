"""Command lines of launchers are read as the launchers would read them."""

import sys
from pathlib import Path

import pytest

from maya.emulator.launchers import LaunchNode, read_launch
from maya.emulator.layout import place
from maya.errors import MayaError
from maya.hardware import find_gpu

TORCHX = [sys.executable, "-m", "torchx.cli.main", "run"]
MODULE = [sys.executable, "-m", "torch.distributed.run"]


@pytest.mark.parametrize(
    ("options", "per_node", "nodes"),
    [
        (["--nproc-per-node", "8"], 8, None),
        (["--nproc_per_node=4", "--nnodes=2"], 4, 2),
        (["--nproc-per-node=gpu", "--nnodes", "1:4"], None, 4),
        (["--standalone", "--nproc-per-node=auto"], None, 1),
        (["--rdzv-backend", "c10d", "--rdzv-endpoint=host:29500", "--rdzv-id", "7"], 1, None),
        (["--node-rank", "0", "--master-addr", "host", "--max-restarts=3", "-t", "3"], 1, None),
    ],
)
def test_torchrun_options_are_read(
    options: list[str], per_node: int | None, nodes: int | None
) -> None:
    launch = read_launch([*MODULE, *options, "train.py", "--lr", "1"], {})
    assert launch is not None
    assert launch.argv == (sys.executable, "-u", "train.py", "--lr", "1")
    assert (launch.per_node, launch.nodes) == (per_node, nodes)


def test_torchrun_starts_modules_and_programs() -> None:
    module = read_launch([*MODULE, "-m", "package.train", "--x"], {})
    assert module is not None
    assert module.argv == (sys.executable, "-u", "-m", "package.train", "--x")
    program = read_launch([*MODULE, "--no-python", "sh", "-c", "true"], {})
    assert program is not None
    assert Path(program.argv[0]).name == "sh"


def test_torchrun_takes_options_cut_short_and_from_the_environment() -> None:
    launch = read_launch([*MODULE, "--nproc=4", "x.py"], {"PET_NNODES": "2", "PET_STANDALONE": "0"})
    assert launch is not None
    assert (launch.per_node, launch.nodes) == (4, 2)


def test_torchruns_names_reach_the_ranks() -> None:
    words = ["--role", "trainer", "--rdzv-id=job7", "--max-restarts", "3", "x.py", "${local_rank}"]
    launch = read_launch([*MODULE, "--nproc-per-node=8", *words], {})
    assert launch is not None
    layout = place(launch, 1, 8)
    assert layout.argv(5)[-1] == "5"
    found = layout.environment(5)
    assert found["ROLE_NAME"] == "trainer"
    assert found["TORCHELASTIC_RUN_ID"] == "job7"
    assert found["TORCHELASTIC_MAX_RESTARTS"] == "3"


def test_the_old_launcher_gives_the_script_its_local_rank() -> None:
    old = [sys.executable, "-X", "dev", "-W", "ignore", "-m", "torch.distributed.launch"]
    launch = read_launch([*old, "--nproc_per_node=4", "-m", "package.train", "--x"], {})
    assert launch is not None
    argv = place(launch, 1, 8).argv(3)
    assert argv[1:] == ("-u", "-m", "package.train", "--local-rank=3", "--x")
    silent = read_launch([*old, "--use_env", "train.py"], {})
    assert silent is not None
    assert silent.argv[1:] == ("-u", "train.py")


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(MayaError, match="unknown option --nproc-per-gpu"):
        read_launch([*MODULE, "--nproc-per-gpu", "2", "train.py"], {})


@pytest.mark.parametrize(
    ("options", "per_node", "nodes"),
    [
        (["dist.ddp", "-j", "2x8"], 8, 2),
        (["-s", "kubernetes", "-cfg", "queue=q", "dist.ddp", "-j", "1:4x2", "--gpu", "2"], 2, 4),
        (["--scheduler=local_cwd", "--wait", "dist.ddp", "-j", "4"], 4, 1),
        (["dist.ddp"], 2, 1),
        (["dist.spmd", "-j", "2", "-h", "aws_p4d.24xlarge"], None, 2),
    ],
)
def test_torchx_puts_torchrun_on_every_node(
    options: list[str], per_node: int | None, nodes: int
) -> None:
    words = ["--env", "A=1,B=2,3", "--script", "train.py", "--", "--lr", "1"]
    launch = read_launch([*TORCHX, *options, *words], {})
    assert launch is not None
    assert launch.argv[1:] == ("-u", "train.py", "--lr", "1")
    assert (launch.per_node, launch.nodes) == (per_node, nodes)
    assert launch.env == {"A": "1", "B": "2,3"}


def test_torchx_reads_its_file_of_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".torchxconfig").write_text("[dist.ddp]\nj = 4x8\nmemMB = 9\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    launch = read_launch([*TORCHX, "dist.ddp", "-m", "package.train"], {})
    assert launch is not None
    assert (launch.per_node, launch.nodes) == (8, 4)
    assert launch.argv[1:] == ("-u", "-m", "package.train")
    assert read_launch([*TORCHX, "utils.echo", "--msg", "x"], {}) is None


def test_deepspeed_gives_the_script_its_local_rank(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("a slots=4\nb slots=4\n", encoding="utf-8")
    command = [sys.executable, "-m", "deepspeed", f"--hostfile={hosts}", "train.py", "--x"]
    launch = read_launch(command, {})
    assert launch is not None
    layout = place(launch, 2, 8)
    assert layout.world_size == 8
    assert layout.argv(6) == (sys.executable, "-u", "train.py", "--local_rank=2", "--x")


@pytest.mark.parametrize(
    ("options", "nodes", "visible"),
    [
        ("--include a@b:1,2", None, None),  # four GPUs of one host, two of the other
        ("--include a:0,1@b:1,2", 2, "0,1"),
        ("--include b:3", 1, "3"),
        ("--exclude a", 1, "0,1,2,3"),
        ("--exclude a:0@b:0", 2, "1,2,3"),
        ("--include c", None, None),
        ("--include a:4", None, None),
        ("--include a --exclude b", None, None),
    ],
)
def test_deepspeed_leaves_out_hosts_and_gpus(
    options: str, nodes: int | None, visible: str | None, tmp_path: Path
) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("# all of them\na slots=4\nb slots=4\n", encoding="utf-8")
    command = [sys.executable, "-m", "deepspeed", f"--hostfile={hosts}", *options.split(), "x.py"]
    if nodes is None:
        with pytest.raises(MayaError, match="deepspeed: "):
            read_launch(command, {})
        return
    launch = read_launch(command, {})
    assert launch is not None
    assert (launch.nodes, launch.per_node) == (nodes, len((visible or "").split(",")))
    assert launch.env["CUDA_VISIBLE_DEVICES"] == visible


def test_deepspeed_without_hosts_chooses_among_the_gpus_of_the_node() -> None:
    command = [sys.executable, "-m", "deepspeed", "--exclude=localhost:0", "train.py"]
    launch = read_launch(command, {}, LaunchNode(find_gpu("h100"), 4))
    assert launch is not None
    assert (launch.nodes, launch.per_node) == (1, 3)
    assert launch.env["CUDA_VISIBLE_DEVICES"] == "1,2,3"


def test_plain_python_is_a_job_when_the_environment_says_so() -> None:
    assert read_launch(["python", "train.py"], {}) is None
    launch = read_launch(["python", "train.py"], {"WORLD_SIZE": "16", "RANK": "0"})
    assert launch is not None
    assert place(launch, 2, 8).world_size == 16
    with pytest.raises(MayaError, match="on 2 nodes, but the cluster has 1"):
        place(launch, 1, 8)


def test_ranks_get_the_environment_of_their_node() -> None:
    launch = read_launch([*MODULE, "--nproc-per-node", "8", "train.py"], {})
    assert launch is not None
    layout = place(launch, 4, 8)
    env = layout.environment(19)
    assert layout.world_size == 32
    assert (env["RANK"], env["LOCAL_RANK"], env["GROUP_RANK"]) == ("19", "3", "2")
    assert (env["WORLD_SIZE"], env["LOCAL_WORLD_SIZE"], env["GROUP_WORLD_SIZE"]) == ("32", "8", "4")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [(["--nproc-per-node", "8"], "8 ranks a node"), (["--nnodes", "3"], "on 3 nodes")],
)
def test_a_command_that_does_not_fit_is_refused(options: list[str], complaint: str) -> None:
    launch = read_launch([*MODULE, *options, "train.py"], {})
    assert launch is not None
    with pytest.raises(MayaError, match=complaint):
        place(launch, 2, 4)


def test_variables_that_env_sets_reach_the_ranks_of_the_launcher_behind_it() -> None:
    words = ["env", "A=1", "PET_NPROC_PER_NODE=4", *MODULE, "--nnodes", "2", "train.py"]
    launch = read_launch(words, {})
    assert launch is not None
    assert (launch.launcher, launch.per_node, launch.nodes) == ("torchrun", 4, 2)
    assert launch.env == {"A": "1", "PET_NPROC_PER_NODE": "4"}
    assert launch.argv[1:] == ("-u", "train.py")


def test_env_with_options_is_run_as_it_is() -> None:
    assert read_launch(["env", "-i", *MODULE, "train.py"], {}) is None


@pytest.mark.parametrize(
    ("options", "nodes", "per_node"),
    [
        ("-N 2 --ntasks-per-node=8", 2, 8),
        ("--nodes=4 -n 16", 4, 4),
        ("-N2 --ntasks-per-node 8 --gres=gpu:8 --cpu-bind=none -l", 2, 8),
        ("--ntasks=12", 2, 6),  # of all nodes: they fill the cluster's
        ("-N 1 --gpus-per-node h100:4 --gpus-per-task=1", 1, 4),
    ],
)
def test_srun_starts_tasks_that_find_slurms_variables(
    options: str, nodes: int, per_node: int
) -> None:
    launch = read_launch(["srun", *options.split(), "python", "train.py", "--lr", "1"], {})
    assert launch is not None
    layout = place(launch, nodes, max(per_node, 6))
    assert (layout.nodes, layout.per_node) == (nodes, per_node)
    assert layout.argv(0) == ("python", "train.py", "--lr", "1")
    last = layout.environment(layout.world_size - 1)
    assert last["SLURM_PROCID"] == last["RANK"] == str(nodes * per_node - 1)
    assert (last["SLURM_LOCALID"], last["SLURM_NODEID"]) == (str(per_node - 1), str(nodes - 1))
    assert "TORCHELASTIC_RUN_ID" not in last


def test_srun_in_a_batch_script_takes_what_sbatch_left() -> None:
    batch = {"SLURM_NNODES": "2", "SLURM_NTASKS_PER_NODE": "4"}
    launch = read_launch(["srun", "python", "train.py"], batch)
    assert launch is not None
    assert (launch.nodes, launch.per_node) == (2, 4)


def test_a_launcher_behind_srun_starts_the_ranks() -> None:
    words = ["srun", "-N", "4", "--ntasks-per-node=1", *MODULE, "--nproc-per-node=8", "train.py"]
    launch = read_launch(words, {})
    assert launch is not None
    layout = place(launch, 4, 8)
    assert (layout.world_size, launch.launcher) == (32, "torchrun")
    assert "TORCHELASTIC_RUN_ID" in layout.environment(0)


@pytest.mark.parametrize(
    ("options", "nodes", "per_node"),
    [
        ("-np 16 -N 8", 2, 8),
        ("-n 8 --map-by ppr:4:node --bind-to none", 2, 4),
        ("--allow-run-as-root -np 16 -H a:8,b:8 --mca btl ^openib -mca pml ob1", 2, 8),
    ],
)
def test_mpirun_starts_ranks_that_find_open_mpis_variables(
    options: str, nodes: int, per_node: int
) -> None:
    words = ["mpirun", *options.split(), "-x", "A=1", "-x", "B", "python", "train.py"]
    launch = read_launch(words, {"B": "2"})
    assert launch is not None
    assert launch.env == {"A": "1", "B": "2"}
    layout = place(launch, 2, 8)
    assert (layout.nodes, layout.per_node) == (nodes, per_node)
    found = layout.environment(per_node)
    assert found["OMPI_COMM_WORLD_RANK"] == found["RANK"] == str(per_node)
    assert found["OMPI_COMM_WORLD_LOCAL_RANK"] == "0"


def test_ranks_that_do_not_share_out_are_refused() -> None:
    with pytest.raises(MayaError, match="12 ranks cannot be shared out as 8 a node"):
        read_launch(["mpirun", "-np", "12", "-N", "8", "python", "train.py"], {})
    launch = read_launch(["mpirun", "-np", "12", "python", "train.py"], {})
    assert launch is not None
    with pytest.raises(MayaError, match="the job has 12 ranks, but 2 x 8 GPUs make 16"):
        place(launch, 2, 8)
