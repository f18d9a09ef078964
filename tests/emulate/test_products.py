"""Products of CUTLASS are recorded with their problem, whatever else their parameters hold."""

import struct
from collections.abc import Mapping
from pathlib import Path

import pytest
from workload import finite
from workload_run import command_line, emulate

from maya.estimate import Source, default_chain
from maya.estimate.kernels.product import PRODUCT
from maya.hardware import find_gpu
from maya.trace import Definition

H100 = find_gpu("h100")
# As in workloads/cutlass_products.py.
SCALED = (512, 1024, 2048)
TOKENS, EXPERTS, WIDTH, HIDDEN = 4096, 8, 512, 1536


@pytest.fixture(scope="module")
def products(
    tmp_path_factory: pytest.TempPathFactory,
    python_cu12: Path,
    workload_environment: Mapping[str, str],
) -> list[Definition]:
    row = finite("cutlass-products", "cutlass_products.py", gpu="h100")
    directory = tmp_path_factory.mktemp("products")
    outcome = emulate(command_line(row, python_cu12), row, directory, workload_environment)
    assert outcome.status == 0, str(outcome)
    (capture,) = outcome.run.captures
    return [work for work in capture.definitions() if work.number("layout") == PRODUCT]


def test_each_problem_is_one_definition(products: list[Definition]) -> None:
    sizes = sorted(struct.unpack("<4i", work.blob) for work in products)
    m, n, k = SCALED
    share = TOKENS // EXPERTS
    of_groups = [(share, HIDDEN, WIDTH, EXPERTS), (WIDTH, HIDDEN, share, EXPERTS)]
    assert sizes == sorted([(n, m, k, 1), *of_groups])  # the scaled one computes its transpose


def test_estimates_follow_the_problem(products: list[Definition]) -> None:
    answers = [default_chain().estimate(work, H100) for work in products]
    m, n, k = SCALED
    grouped = 2 * TOKENS * WIDTH * HIDDEN
    assert sorted(answer.flops for answer in answers) == sorted([2 * m * n * k, grouped, grouped])
    assert all(answer.source is Source.ANALYTICAL for answer in answers)
