"""Matrix products of CUTLASS, scaled and grouped ones, by the sizes that the recorder keeps."""

import re
from dataclasses import replace

from maya.estimate.gemm.estimator import gemm_estimate
from maya.estimate.gemm.learned import learned_estimate
from maya.estimate.gemm.problem import GemmProblem
from maya.estimate.kernels.image import Image
from maya.estimate.parameters import load
from maya.estimate.types import Estimate
from maya.hardware import Gpu
from maya.trace import Definition

PRODUCT = 3  # the layout of a launch whose blob is m, n, k and the number of groups
# Plain ones were measured with cuBLAS, grouped ones on A100 and with another library's kernels.
_PLAIN, _GROUPED = 0.15, 0.3
# Types of operands by what the name holds; half_t also stands in the names of epilogues.
_TYPES = (("float_e[45]m[23]", "fp8", 1.0), ("bfloat16_t", "bf16", 2.0), ("half_t", "fp16", 2.0))


def product_estimate(work: Definition, device: Gpu) -> Estimate | None:
    """None for any other kernel."""
    if work.number("layout") != PRODUCT or len(work.blob) < 16:
        return None
    image = Image(work.blob)
    m, n, k, groups = (image.i32(4 * place) for place in range(4))
    precision, width = _operands(work.text("kernel"))
    problem = GemmProblem(m, n, k, groups, precision, width, max(2.0, width))
    known = learned_estimate(problem, device) if groups == 1 and precision == "bf16" else None
    found = known or gemm_estimate(problem, device)
    if groups == 1:
        return replace(found, uncertainty=_PLAIN)
    slower = found.duration_ns * load("gemm.json")["grouped"]["slowdown"]
    return replace(found, duration_ns=round(slower), uncertainty=_GROUPED)


def _operands(name: str) -> tuple[str, float]:
    fits = ((key, width) for text, key, width in _TYPES if re.search(text, name))
    return next(fits, ("tf32", 4.0))
