"""DeepBench on V100: products in all layouts and convolutions of all three passes."""

from dataclasses import dataclass
from functools import cache

from maya.estimate.library.conv_problem import ConvProblem
from workshop.fit.dataset import read_table

GPU = "v100-32"  # a DGX-1 of 2019; the same chip and clocks as with 16 GB
_FILES = {
    "fp16": "DeepBench_NV_V100__Results_-_FP16_ip_Mixed_math.csv",
    "fp32": "DeepBench_NV_V100__Results_FP32.csv",
}
_BYTES = {"fp16": 2.0, "fp32": 4.0}
_PASSES = ("fprop", "dgrad", "wgrad")


@dataclass(frozen=True, slots=True)
class Product:
    """C[m,n] = A[m,k] B[k,n], column-major; time in ns."""

    m: int
    n: int
    k: int
    layout: str  # of cuBLAS: nn, tn, nt
    time_ns: float


@dataclass(frozen=True, slots=True)
class Recurrent:
    """A layer whose input products are skipped; times in ns by pass."""

    gates: int
    hidden: int
    batch: int
    steps: int
    time_ns: dict[str, float]


@cache
def _rows(precision: str) -> list[tuple[str, list[str]]]:
    return [(title, cells) for title, cells in read_table("deepbench", _FILES[precision]).rows()]


def _section(precision: str, title: str) -> list[list[str]]:
    return [cells for section, cells in _rows(precision) if section.startswith(title)]


def products(precision: str) -> list[Product]:
    """The dense products."""
    return [
        Product(int(r[2]), int(r[3]), int(r[4]), (r[5] + r[6]).lower(), float(r[8]) * 1e6)
        for r in _section(precision, "Dense Matrix")
    ]


def convolutions(precision: str) -> list[tuple[ConvProblem, float]]:
    """Each pass of each convolution, with its time in ns."""
    found = []
    for r in _section(precision, "Convolution"):
        w, h, c, n, k, fw, fh, _pw, _ph, sw, sh = (int(cell) for cell in r[2:13])
        out = int(r[17]) * int(r[18])
        for direction, cell in zip(_PASSES, r[13:16], strict=True):
            try:
                time_ns = float(cell) * 1e6
            except ValueError:
                continue  # gradients of a network's input are not measured
            problem = ConvProblem(
                direction, n, c, k, 1, w * h, out, fw * fh, sw * sh, _BYTES[precision], precision,
                channels_last=precision == "fp16",
            )  # fmt: skip
            found.append((problem, time_ns))
    return found


def recurrent() -> list[Recurrent]:
    """Plain, LSTM and GRU layers in fp16."""
    found = []
    for title, gates in (("Vanilla", 1), ("LSTM", 4), ("GRU", 3)):
        for r in _section("fp16", f"Recurrent Layers - {title}"):
            hidden, batch, steps = (int(cell) for cell in r[2:5])
            names = ("fwd", "bwd_data", "bwd_weights")
            times = {n: float(cell) * 1e6 for n, cell in zip(names, r[6:9], strict=True)}
            found.append(Recurrent(gates, hidden, batch, steps, times))
    return found
