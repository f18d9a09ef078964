"""Factorisations and solvers (cuSOLVER, cuBLAS): columns one after the other, then arithmetic.

Nobody published times of them; the counts of operations are the customary ones, the rest was
chosen. Their uncertainty says so.
"""

from dataclasses import dataclass

from maya.estimate.cost import Cost, estimate_cost
from maya.estimate.types import Estimate
from maya.hardware import Gpu
from maya.trace import Definition

_UNCERTAIN = 0.8
_COLUMN_NS = 1500.0  # a column waits for the one before: a reduction and an update
_SWEEPS = 8.0  # of Jacobi's method, over all pairs of columns
_REACHED = 0.3  # of the fp32 peak, in the products that large problems consist of
_LETTERS = "SDCZX"


@dataclass(frozen=True, slots=True)
class Routine:
    """Operations are factor x m^a x n^b x (right-hand sides)^c."""

    factor: float
    powers: tuple[int, int, int]
    columns: float  # that wait for each other, for each of n

    def operations(self, m: int, n: int, right: int) -> float:
        """The customary count."""
        a, b, c = self.powers
        return self.factor * float(m) ** a * float(n) ** b * float(right) ** c


# By the routine's name without its letter.
_ROUTINES = {
    "potrf": Routine(1 / 3, (0, 3, 0), 1.0),
    "potrs": Routine(2.0, (0, 2, 1), 0.5),
    "potri": Routine(2 / 3, (0, 3, 0), 1.0),
    "getrf": Routine(2 / 3, (1, 2, 0), 1.0),
    "getrs": Routine(2.0, (0, 2, 1), 0.5),
    "getri": Routine(4 / 3, (0, 3, 0), 1.0),
    "matinv": Routine(2.0, (0, 3, 0), 1.0),
    "geqrf": Routine(2.0, (1, 2, 0), 1.0),
    "gels": Routine(2.0, (1, 2, 0), 1.5),
    "orgqr": Routine(4 / 3, (1, 2, 0), 1.0),
    "ungqr": Routine(4 / 3, (1, 2, 0), 1.0),
    "ormqr": Routine(4.0, (1, 2, 0), 0.5),
    "unmqr": Routine(4.0, (1, 2, 0), 0.5),
    "sytrf": Routine(1 / 3, (0, 3, 0), 2.0),
    "sytrs": Routine(2.0, (0, 2, 1), 0.5),
    "syev": Routine(9.0, (0, 3, 0), 10.0),
    "heev": Routine(9.0, (0, 3, 0), 10.0),
    "geev": Routine(25.0, (0, 3, 0), 30.0),
    "gesvd": Routine(2 * _SWEEPS, (1, 2, 0), 2 * _SWEEPS),
    "trsm": Routine(1.0, (1, 2, 0), 0.1),
}


def solver(work: Definition, device: Gpu) -> Estimate | None:
    """None for a routine that is not among them."""
    routine = _find(work.op)
    if routine is None:
        return None
    number = work.number
    n = number("n") or number("m")
    m, batch = number("m") or n, max(1, number("batchSize", 1), number("batchCount", 1))
    if min(m, n) < 0:
        return None
    right = max(1, number("nrhs", 1))
    operations = batch * routine.operations(m, n, right) / _REACHED
    waves = -(-batch // (device.sm_count * 4)) if batch > 1 else 1
    serial = waves * min(m, n) * routine.columns * _COLUMN_NS
    moved = batch * (m * n + n * right) * 8.0
    return estimate_cost(Cost(moved, operations, serial_ns=serial), device, _UNCERTAIN)


def _find(op: str) -> Routine | None:
    name = op.removeprefix("cublas").removeprefix("cusolverDn")
    if name == op or name[:1] not in _LETTERS:
        return None
    return next((known for word, known in _ROUTINES.items() if name[1:].startswith(word)), None)
