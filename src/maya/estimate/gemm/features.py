"""What the learned correction of the roofline sees of a problem. Free of units and of the GPU's
size, as far as can be, so that it may be carried over to a GPU without measurements."""

import numpy as np
import numpy.typing as npt

from maya.estimate.gemm.roofline import Problems, Times
from maya.hardware import Gpu

_TILES = ((128, 256), (256, 128), (128, 128), (64, 128), (64, 64))
_MODULI = (64, 128, 256)


def features(problems: Problems, times: Times, device: Gpu) -> npt.NDArray[np.float64]:
    """A row a problem."""
    m, n, k = problems.m, problems.n, problems.k
    operand_bytes = problems.in_bytes * k * (m + n) + problems.out_bytes * m * n
    columns = [
        np.log2(m),
        np.log2(n),
        np.log2(k),
        np.log2(times.total_ns),
        np.log2(times.compute_ns / times.memory_ns),
        times.tile,
        np.log2(times.split),
        np.log2(times.waves),
        np.log2(m * n),
        np.log2(n * k),
        np.log2(m * k),
        np.log2(operand_bytes / device.l2_bytes),
        np.log2(problems.in_bytes * n * k / device.l2_bytes),
        m % 2,
        (m % 8 == 0).astype(float),
    ]
    for rows, outs in _TILES:
        waves = np.ceil(m / rows) * np.ceil(n / outs) * problems.batch / device.sm_count
        columns += [waves / np.ceil(waves), np.minimum(np.ceil(waves), 40)]
    columns += [m % modulus / modulus for modulus in _MODULI]
    columns.append(np.log2(problems.batch))
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
