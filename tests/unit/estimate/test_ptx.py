"""The walk through PTX, on short texts."""

import struct
from dataclasses import replace

import pytest

from maya.estimate import Source, default_chain
from maya.estimate.ptx.count import LaunchDemand, count, program, samples
from maya.estimate.ptx.estimator import PtxEstimator, blocks_per_sm
from maya.estimate.ptx.parse import parse
from maya.hardware import find_gpu
from maya.testing.works import POINTER, kernel

H100 = find_gpu("h100")
HEAD = """.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(
  .param .u64 .ptr .global .align 1 k_param_0,
  .param .u32 k_param_1
)
.reqntid 128
{
  .reg .b32 %r<99>;
  ld.param.b64 %rd1, [k_param_0];
  ld.param.b32 %r1, [k_param_1];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.s32 %r4, %r3, 128, %r2;
"""


def launch(body: str, argument: int = 0, blocks: int = 10) -> LaunchDemand:
    source = program(HEAD + body + "\nret;\n}\n", "k")
    assert source
    return count(source, POINTER + struct.pack("<i", argument), (blocks, 1, 1), (128, 1, 1))


def test_code_that_nobody_compiled_says_nothing() -> None:
    code = ".version 8.7\n.visible .entry k(\n)\n{\nret;\n}\n"
    plain = kernel("k", POINTER)
    work = replace(plain, fields={**plain.fields, "code": code})
    assert PtxEstimator().estimate(work, H100) is None


def test_neighbours_share_sectors() -> None:
    found = launch("mad.wide.s32 %rd2, %r4, 4, %rd1;\nld.global.b32 %r9, [%rd2];")
    assert found.issued_bytes == found.memory_bytes == 10 * 128 * 4


def test_strided_threads_pay_a_sector_each() -> None:
    found = launch("mad.wide.s32 %rd2, %r4, 64, %rd1;\nld.global.b32 %r9, [%rd2];")
    assert found.issued_bytes == 10 * 128 * 32


def test_all_threads_at_one_place_pay_once_a_block() -> None:
    found = launch("ld.global.b32 %r9, [%rd1];")
    assert found.issued_bytes == 10 * 32
    assert found.memory_bytes == 32


def test_a_mask_cuts_the_last_block() -> None:
    body = (
        "setp.lt.s32 %p1, %r4, %r1;\nmad.wide.s32 %rd2, %r4, 4, %rd1;\n"
        "@%p1 st.global.b32 [%rd2], %r9;"
    )
    assert launch(body, argument=9 * 128 + 8).issued_bytes == (9 * 128 + 8) * 4


@pytest.mark.parametrize("turns", [1, 3, 4, 50])
def test_a_loop_costs_its_turns(turns: int) -> None:
    body = """mov.b32 %r10, 0;
mad.wide.s32 %rd2, %r4, 4, %rd1;
$L1:
ld.global.b32 %r9, [%rd2];
fma.rn.f32 %r11, %r9, %r9, %r11;
add.s64 %rd2, %rd2, 8192;
add.s32 %r10, %r10, 1;
setp.lt.s32 %p1, %r10, %r1;
@%p1 bra $L1;"""
    found = launch(body, argument=turns)
    assert found.issued_bytes == pytest.approx(turns * 10 * 128 * 4)
    assert found.per_block.fused == pytest.approx(turns)
    assert found.trips == pytest.approx(turns)
    span = (turns - 1) * 8192 + 10 * 128 * 4
    assert found.memory_bytes == pytest.approx(min(found.issued_bytes, span))


def walked_rows(pitch: int) -> LaunchDemand:
    """Blocks side by side: in each of eight turns two rows of 64 elements, `pitch` apart."""
    body = f"""
  mov.u32 %r5, 0;
  shr.u32 %r6, %r2, 6;
  and.b32 %r7, %r2, 63;
  mad.lo.s32 %r8, %r3, 64, %r7;
  mad.lo.s32 %r8, %r6, {pitch}, %r8;
$L1:
  mad.wide.s32 %rd2, %r8, 4, %rd1;
  ld.global.b32 %r9, [%rd2];
  add.s32 %r8, %r8, {2 * pitch};
  add.s32 %r5, %r5, 1;
  setp.lt.s32 %p1, %r5, 8;
  @%p1 bra $L1;"""
    return launch(body)


def test_rows_that_meet_within_a_sector_are_fetched_by_both_blocks() -> None:
    """Aligned rows of ten blocks are read once; of rows of an odd length every block's seams."""
    aligned, odd = walked_rows(640), walked_rows(641)
    assert aligned.memory_bytes == aligned.issued_bytes == 16 * 640 * 4
    assert odd.memory_bytes > 1.06 * aligned.memory_bytes
    assert odd.memory_bytes <= odd.issued_bytes


def two_walks(writes: bool) -> LaunchDemand:
    """A block's row of 1,024 elements, read in two loops; the second may write as it goes."""
    store = "st.global.b32 [%rd4], %r9;" if writes else ""
    loops = [
        f"""
  mov.u32 %r5, %r2;
$L{label}:
  mad.lo.s32 %r8, %r3, 1024, %r5;
  mad.wide.s32 %rd2, %r8, 4, %rd1;
  ld.global.b32 %r9, [%rd2];
  {extra}
  add.s32 %r5, %r5, 128;
  setp.lt.s32 %p1, %r5, 1024;
  @%p1 bra $L{label};"""
        for label, extra in ((1, ""), (2, f"add.s64 %rd4, %rd2, 1073741824;\n  {store}"))
    ]
    return launch("".join(loops))


def test_what_a_second_walk_writes_takes_place_in_l2_too() -> None:
    """Of two walks over a row the rows in flight are told, with what is written beside them."""
    reading, writing = two_walks(writes=False), two_walks(writes=True)
    assert reading.again_bytes == writing.again_bytes == 10 * 4096
    assert reading.walked_bytes == pytest.approx(4096)
    assert writing.walked_bytes == pytest.approx(2 * 4096)


def test_a_test_of_data_pays_for_both_sides() -> None:
    body = """ld.global.b32 %r9, [%rd1];
setp.gt.f32 %p1, %r9, 0f00000000;
@%p1 bra $L1;
ex2.approx.f32 %r12, %r9;
$L1:
rcp.approx.f32 %r13, %r9;"""
    assert launch(body).per_block.special == pytest.approx(2)


def test_a_wait_inside_braces_ends() -> None:
    body = """{
.reg .pred done;
wait:
mbarrier.try_wait.parity.shared.b64 done, [%r2], 0;
@!done bra.uni wait;
}"""
    assert not launch(body).guessed


def test_products_count_by_warp_and_by_group() -> None:
    warps = launch(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r1}, {%r2}, {%r3}, {%r4};"
    )
    assert warps.tensor_flops == {"bf16": pytest.approx(10 * 4 * 2 * 16 * 8 * 16)}
    group = launch("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r1}, %rd1, %rd2, 1, 1, 1;")
    assert group.tensor_flops == {"fp16": pytest.approx(10 * 2 * 64 * 64 * 16)}


def test_samples_stand_for_the_whole_grid() -> None:
    for grid in ((1, 1, 1), (1000, 1, 1), (7, 9, 1), (100, 50, 3)):
        weights = sum(weight for _, weight in samples(grid))
        assert weights == pytest.approx(grid[0] * grid[1] * grid[2])
        places = [place for place, _ in samples(grid)]
        assert (0, 0, 0) in places
        assert tuple(extent - 1 for extent in grid) in places


def test_other_kernels_and_nonsense_are_left_to_others() -> None:
    assert parse("no code at all", "k") is None
    assert PtxEstimator().estimate(kernel("k"), H100) is None
    broken = kernel("k")
    broken.fields["code"] = "garbage {"  # type: ignore[index]
    assert PtxEstimator().estimate(broken, H100) is None


def test_registers_and_shared_memory_limit_residence() -> None:
    assert blocks_per_sm(kernel("k", registers=32), 128, H100) == 16
    assert blocks_per_sm(kernel("k", registers=255), 128, H100) == 2
    assert blocks_per_sm(kernel("k", shared_bytes=100_000), 128, H100) == 2


def test_code_that_makes_no_sense_is_bounded_by_others() -> None:
    fields = {"code": HEAD + "st.global.b32;\nld.global.b32 %r9, [%rd1];\nret;\n}\n"}
    work = kernel("k", POINTER + bytes(4), grid=(10,))
    work = replace(work, fields={**work.fields, **fields})
    assert PtxEstimator().estimate(work, H100) is None
    answer = default_chain().estimate(work, H100)
    assert answer.source == Source.ASSUMED
    assert answer.duration_ns > 0
