"""Hand-written Triton kernels whose bytes and operations can be worked out on paper."""

import sys

import torch
import triton
import triton.language as tl
from torch.nn.attention.flex_attention import create_block_mask, flex_attention


@triton.jit
def add_masked(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.autotune([triton.Config({"BLOCK": size}) for size in (128, 1024, 8192)], key=["count"])
@triton.jit
def scale_tuned(x, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < count) * 2, mask=at < count)


@triton.jit
def sum_rows(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    tl.store(out + row, tl.sum(total, 0))


@triton.jit
def product(a, b, out, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        depth = start + tl.arange(0, K)
        left = tl.load(a + rows[:, None] * k + depth[None, :])
        right = tl.load(b + depth[:, None] * n + columns[None, :])
        total += tl.dot(left, right)
    tl.store(out + rows[:, None] * n + columns[None, :], total.to(tl.bfloat16))


@triton.jit
def gather_rows(table, rows, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    chosen = tl.load(rows + tl.program_id(0))
    tl.store(out + tl.program_id(0) * columns + at, tl.load(table + chosen * columns + at))


@triton.jit
def sum_lengths(x, lengths, out, most, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.minimum(tl.load(lengths + row), most)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(length):
        total += tl.load(x + (row * most + start) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + row * BLOCK + tl.arange(0, BLOCK), total)


x = torch.empty(1_000_003, device="cuda")
add_masked[(triton.cdiv(x.numel(), 1024),)](x, x.clone(), x.clone(), x.numel(), BLOCK=1024)
for _ in range(3):
    scale_tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, x.numel())
rows = torch.empty(512, 6000, device="cuda")
sum_rows[(512,)](rows, torch.empty(512, device="cuda"), 6000, BLOCK=1024)
a = torch.empty(1024, 2048, device="cuda", dtype=torch.bfloat16)
b = torch.empty(2048, 512, device="cuda", dtype=torch.bfloat16)
out = torch.empty(1024, 512, device="cuda", dtype=torch.bfloat16)
product[(8, 4)](a, b, out, 512, 2048, M=128, N=128, K=64)
table = torch.empty(5000, 1024, device="cuda")
chosen = torch.zeros(300, device="cuda", dtype=torch.int64)
gather_rows[(300,)](table, chosen, torch.empty(300, 1024, device="cuda"), 1024, BLOCK=1024)
long = torch.empty(64, 100, 256, device="cuda")
lengths = torch.full((64,), 7, device="cuda", dtype=torch.int32)
sum_lengths[(64,)](long, lengths, torch.empty(64, 256, device="cuda"), 100, BLOCK=256)


def causal(b, h, q, k):
    return q >= k


if "flex" in sys.argv:
    mask = create_block_mask(causal, None, None, 1024, 1024, device="cuda")
    q, k, v = torch.empty(3, 2, 4, 1024, 64, device="cuda", dtype=torch.bfloat16)
    torch.compile(flex_attention)(q, k, v, block_mask=mask)
torch.cuda.synchronize()
print("done")
