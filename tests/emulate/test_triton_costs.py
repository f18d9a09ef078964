"""Costs that are read from the code of Triton kernels, against numbers worked out by hand."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from workload import finite
from workload_run import command_line, emulate

from maya.estimate import Source, default_chain
from maya.estimate.masks import MaskDensity
from maya.estimate.ptx.count import LaunchDemand, count, program
from maya.hardware import find_gpu
from maya.trace import Capture, Definition
from maya.trace.format import Kind

H100 = find_gpu("h100")
# Products of warp groups and of warps.
ROWS = (("h100", "triton_kernels.py flex"), ("a100", "triton_kernels.py"))


@pytest.fixture(scope="module", params=ROWS, ids=lambda row: row[0])
def capture(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    python_cu12: Path,
    workload_environment: Mapping[str, str],
) -> Capture:
    gpu, command = request.param
    row = finite("triton-kernels", command, gpu=gpu)
    directory = tmp_path_factory.mktemp(f"triton-{gpu}")
    outcome = emulate(command_line(row, python_cu12), row, directory, workload_environment)
    assert outcome.status == 0, str(outcome)
    return outcome.run.captures[0]


@pytest.fixture(scope="module")
def kernels(capture: Capture) -> dict[str, Definition]:
    works = [work for work in capture.definitions() if work.kind == Kind.KERNEL]
    return {work.text("kernel"): work for work in works}


def launch_of(work: Definition) -> LaunchDemand:
    source = program(work.text("code"), work.text("kernel"))
    assert source, "no code in the capture"
    grid = tuple(work.number(f"grid_{axis}") for axis in "xyz")
    block = tuple(work.number(f"block_{axis}") for axis in "xyz")
    return count(source, work.blob, grid, block)


def test_a_masked_tail_moves_only_its_elements(kernels: dict[str, Definition]) -> None:
    launch = launch_of(kernels["add_masked"])
    assert launch.issued_bytes == pytest.approx(3 * 4 * 1_000_003, rel=1e-4)
    assert launch.memory_bytes == pytest.approx(3 * 4 * 1_000_003, rel=1e-4)
    assert not launch.guessed


def test_of_candidates_to_tune_one_is_tried_once(capture: Capture) -> None:
    works = [work for work in capture.definitions() if work.kind == Kind.KERNEL]
    (tuned,) = [work for work in works if work.text("kernel") == "scale_tuned"]
    assert tuned.number("grid_x") == -(-1_000_003 // 1024)
    launches = int((capture.events["def"] == tuned.id).sum())
    assert launches == 3 + 1


def test_a_loop_runs_as_often_as_its_argument_says(kernels: dict[str, Definition]) -> None:
    launch = launch_of(kernels["sum_rows"])
    read = 512 * 6000 * 4
    assert launch.issued_bytes == pytest.approx(read + 512 * 32, rel=0.03)  # a sector a result
    assert launch.memory_bytes == pytest.approx(read, rel=0.03)
    each = launch.per_block.fused * launch.threads
    assert 6000 <= each <= 8500  # an addition an element, and those of the tree


def test_a_product_has_its_flops_and_operands(kernels: dict[str, Definition]) -> None:
    launch = launch_of(kernels["product"])
    assert launch.tensor_flops == {"bf16": pytest.approx(2 * 1024 * 2048 * 512)}
    operands = 2 * (1024 * 2048 + 2048 * 512 + 1024 * 512)
    assert launch.memory_bytes == pytest.approx(operands, rel=0.1)
    tiles = 8 * 4 * 2048 * (128 + 128) * 2 + 2 * 1024 * 512
    assert launch.issued_bytes == pytest.approx(tiles, rel=0.1)


def test_gathered_rows_are_read_whole_whichever_they_are(kernels: dict[str, Definition]) -> None:
    launch = launch_of(kernels["gather_rows"])
    assert launch.memory_bytes == pytest.approx(2 * 300 * 1024 * 4 + 300 * 8, rel=0.01)


def test_a_loop_that_data_ends_is_half_its_bound_and_flagged(
    kernels: dict[str, Definition],
) -> None:
    launch = launch_of(kernels["sum_lengths"])
    assert launch.bounded
    read, written = 64 * 100 * 256 * 4, 64 * 256 * 4
    assert launch.issued_bytes == pytest.approx(read / 2 + written, rel=0.05)
    answer = default_chain().estimate(kernels["sum_lengths"], H100)
    assert answer.data_decides
    assert not default_chain().estimate(kernels["add_masked"], H100).data_decides


def test_a_given_density_of_masks_replaces_the_half(kernels: dict[str, Definition]) -> None:
    whole, tenth = (
        default_chain(masks=MaskDensity(given=density)).estimate(kernels["sum_lengths"], H100)
        for density in (1.0, 0.1)
    )
    read, written = 64 * 100 * 256 * 4, 64 * 256 * 4
    assert whole.bytes == pytest.approx(read + written, rel=0.05)
    assert tenth.bytes == pytest.approx(read / 10 + written, rel=0.05)
    assert tenth.duration_ns < whole.duration_ns


@pytest.mark.parametrize("capture", ROWS[:1], ids=["h100"], indirect=True)  # compiled for it alone
def test_attention_over_listed_blocks_is_half_of_the_dense_one(
    kernels: dict[str, Definition],
) -> None:
    """The mask is data: the code only bounds it. Half of all pairs is what a causal mask leaves."""
    (work,) = [work for name, work in kernels.items() if name.startswith("triton_tem_fused")]
    launch = launch_of(work)
    assert launch.bounded
    dense = 4 * 2 * 4 * 1024 * 1024 * 64
    assert sum(launch.tensor_flops.values()) == pytest.approx(dense / 2, rel=0.1)
    one_tensor = 2 * 4 * 1024 * 64 * 2
    assert launch.memory_bytes >= 2 * one_tensor  # queries in, results out
    assert launch.issued_bytes <= 2 * one_tensor * (1 + 1024 // 64)  # keys and values a row block


def test_the_chain_answers_from_the_code_and_says_so(kernels: dict[str, Definition]) -> None:
    chain = default_chain()
    for work in kernels.values():
        if not work.text("code"):
            continue
        answer = chain.estimate(work, H100)
        assert answer.source == Source.ANALYTICAL
        assert answer.duration_ns > 1000
        assert answer.uncertainty >= 0.15
    moved = 3 * 4 * 1_000_003
    answer = chain.estimate(kernels["add_masked"], H100)
    assert answer.bytes == pytest.approx(moved, rel=1e-4)
