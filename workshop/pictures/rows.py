"""Which pictures there are: the run that each shows, and the parts of its page."""

from dataclasses import dataclass

_PARALLEL = "train_gpt_parallel.py --strategy fsdp --layers 12 --width 1024"
_PIPELINE = (
    "train_megatron.py --pp 8 --tp 8 --layers 16 --hidden 2048 --heads 16 --sequence 2048 "
    "--global-batch 64 --micro-batch 1 --vocabulary 51200"
)
_TORCHRUN = "python -m torch.distributed.run"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A command, and where it is predicted to run."""

    cluster: str
    command: str
    frameworks: bool = False  # needs .venv-frameworks


@dataclass(frozen=True, slots=True)
class Picture:
    """A file below docs: the page of `run` from its top, or from `first`, to the end of `last`."""

    file: str
    run: str
    last: str
    first: str = ""
    scheme: str = "light"


RUNS = {
    "gpt2": Recorded("h100:1", "python train_gpt2.py"),
    "too-large": Recorded("h100:1", "python train_gpt2.py --batch-size 200"),
    "fsdp2": Recorded("h100:8x8", f"torchrun --nnodes 8 --nproc-per-node 8 {_PARALLEL}"),
    "compiled": Recorded("h100:8", "torchrun --nproc-per-node 8 train_compiled.py"),
    "pipeline": Recorded(
        "h100:8x32", f"{_TORCHRUN} --nnodes 32 --nproc-per-node 8 {_PIPELINE}", frameworks=True
    ),
}
TERMINAL = "gpt2"  # the run whose words docs/terminal.svg shows

PICTURES = (
    Picture("report-page.png", "gpt2", "Timeline of one step"),
    Picture("gallery-fsdp2.png", "fsdp2", "Timeline of one step", scheme="dark"),
    Picture("gallery-compiled.png", "compiled", "Timeline of one step"),
    Picture("gallery-pipeline.png", "pipeline", "Timeline of one step"),
    Picture("report-page-pipeline.png", "pipeline", "Timeline of one step", "Timeline of one step"),
    Picture("gallery-out-of-memory.png", "too-large", "Memory"),
)
