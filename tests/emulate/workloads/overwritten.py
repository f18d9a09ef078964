"""Known values that are overwritten in unusual ways: nothing stale is known afterwards."""

import sys
from pathlib import Path

import torch
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks/scripts"))
from op_values import read, same

DEVICE = torch.device("cuda")


def known(*shape: int, value: float = 7.0) -> torch.Tensor:
    return torch.full(shape, value, device=DEVICE)


def check(
    what: str, found: torch.Tensor, expected: torch.Tensor, *, all_known: bool = False
) -> None:
    values, is_known = read(found)
    if bool((is_known & ~same(expected, values)).any()):
        print("wrong:", what, values.tolist())
    if all_known and not bool(is_known.all()):
        print("unknown:", what)


@triton.jit
def store_behind(addresses, size: tl.constexpr):
    target = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(target + tl.arange(0, size), 3.0)


ones = torch.ones(4, 4, device=DEVICE)
fours = torch.full((4, 4), 4.0)

target = known(8)
addresses = torch.tensor([target.data_ptr()], dtype=torch.int64, device=DEVICE)
store_behind[(1,)](addresses, size=8)
check("a kernel that is given addresses in memory", target, torch.full((8,), 3.0))

product = known(4, 4)
torch.mm(ones, ones, out=product)
check("a library's result", product, fours)

norms = torch._foreach_norm([known(4), known(9)])
check("norms of a list", norms[1], torch.tensor(21.0), all_known=True)

tensors = [known(3), known(5)]
torch._foreach_add_(tensors, 1.0)
check("a list", tensors[1], torch.full((5,), 8.0))

stream, first = torch.cuda.Stream(), known(8)
with torch.cuda.stream(stream):
    first.add_(1)
    second = first * 2
torch.cuda.current_stream().wait_stream(stream)
check("another stream", second, torch.full((8,), 16.0), all_known=True)

pinned, copied = torch.arange(8.0).pin_memory(), torch.empty(8, device=DEVICE)
copied.copy_(pinned, non_blocking=True)
torch.cuda.synchronize()
pinned.fill_(9)
check("an asynchronous copy", copied, torch.arange(8.0), all_known=True)

large = known(1 << 20)
part = large[:4]
part.fill_(2)
large.mul_(3)
check("a large kernel over a small view", part, torch.full((4,), 6.0))

state, source = torch.zeros(4, device=DEVICE), torch.tensor([3, 1, 2], device=DEVICE)
state @ ones  # cuBLAS makes its workspace before the capture
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result, ordered = state @ ones, source.sort()[0]
    state.add_(1)
check("what a graph has only recorded", state, torch.zeros(4), all_known=True)
for times in (1, 2):
    graph.replay()
    check("a graph", state, torch.full((4,), float(times)), all_known=True)
    check("a product in a graph", result, torch.full((4,), 4.0 * (times - 1)))
    check("a sort in a graph", ordered, torch.tensor([1, 2, 3]))

for maker in (torch.nn.init.normal_, torch.nn.init.uniform_, torch.Tensor.exponential_):
    drawn = known(64)
    maker(drawn)
    if bool(read(drawn)[1].any()):
        print("known:", maker.__name__)

for _ in range(3):
    gone = known(64)
    address = gone.data_ptr()
    del gone
    fresh = torch.empty(64, device=DEVICE)
    if fresh.data_ptr() != address or bool(read(fresh)[1].any()):
        print("known: memory that was used before")
print("done")
