"""What a workload is and how its record is judged."""

from dataclasses import dataclass

GEMM = r"cublas(GemmEx|LtMatmul|Sgemm|GemmStridedBatchedEx)"
CONVOLUTION = r"(?i)cudnn.*conv"


@dataclass(frozen=True, slots=True)
class Workload:
    """One script and its expectations; names are regular expressions, all of them to be found."""

    id: str
    command: str
    # how it is run
    steps: int = 3  # 0: never stopped
    gpu: str = "h100"
    ranks: int = 1
    max_seconds: int = 90
    routing: str = "balanced"
    environment: tuple[tuple[str, str], ...] = ()
    # how it ends
    ended_by: str = "steps"
    status: int = 0
    exit_code: int = 0
    captures: int = 1
    incomplete: int = 0
    stdout: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    # what is on record
    kernels: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()
    allocations: tuple[str, ...] = ("device",)
    value_reads: tuple[str, ...] = ()
    value_policies: tuple[str, ...] = ()
    norms: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    graph_launches: bool = False
    once_per_step: str = ""  # a kernel that a right step holds exactly once,
    times_per_step: int = 1  # or so many times
    unsupported: tuple[str, ...] = ()  # tolerated; every entry with its reason
    # where it is run
    smoke: bool = False
    cu13: bool = False


def finite(name: str, command: str, **expected: object) -> Workload:
    """A script that ends by itself and is let run to its end."""
    return Workload(name, command, steps=0, ended_by="script", **expected)  # type: ignore[arg-type]
