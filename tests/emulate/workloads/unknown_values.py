"""Reads of values that only kernels could have made, and what follows from them."""

import torch

unknown = torch.randn(100, device="cuda")
positive = unknown > 0
assert positive.all(), "a check passes"
assert not positive.any(), "no fault fires"
assert not torch.isnan(unknown.mean()), "what follows from a mean is as finite as it"
assert unknown.mean().item() > 0
assert 1 <= positive.sum().item() <= 100
assert 1 <= len(torch.unique(unknown)) <= 100
assert positive[:1].all(), "also where there is but one, which no kernel reduces"
assert not positive[:1].any()
assert positive[:3].view(3, 1).all(dim=1).tolist() == [True] * 3
ends = (unknown[:96].view(3, 32) > 2).any(dim=1)  # of sequences that were generated, say
lengths = torch.full((3,), 32, device="cuda")
lengths[ends] = 7
assert lengths.tolist() == [32] * 3, "rows are chosen by what is assumed of them"
torch.distributions.Categorical(logits=unknown[:2].view(1, 2)).log_prob(torch.zeros(1).cuda())

mask = torch.ones(4, 32, dtype=torch.int64).cuda()
assert mask.to(torch.bool).all().item() is True
mask[1, 2] = 0
assert mask.to(torch.bool).all().item() is False
done = torch.zeros(2, dtype=torch.bool, device="cuda") | (unknown[:2] > 0)
assert (done | torch.ones(2, dtype=torch.bool, device="cuda")).cpu().all(), (
    "true or unknown is true"
)
exponents = torch.arange(0, 4, step=2, dtype=torch.float32, device="cuda") / 4
assert torch.allclose((100.0**exponents).cpu(), torch.tensor([1.0, 10.0])), "of rotations"
assert torch.tensor([5, 3, 9]).cuda().flip(0).tolist() == [9, 3, 5]
assert torch.tensor([5, 3, 9]).cuda().sort().indices.tolist() == [1, 0, 2]
scratch = torch.tensor([7.0] * 64, device="cuda")
where = scratch.data_ptr()
del scratch
fresh = torch.empty(64, device="cuda").uniform_()
assert fresh.data_ptr() == where
assert fresh.cpu().eq(0).all(), "nothing stale is read"

table = torch.zeros(4, 4, device="cuda")
rows = torch.tensor([0, 2], device="cuda")
for _ in range(20):  # arguments have parts that are never filled, with leftovers of earlier calls
    torch.cat([table.view(-1)[:3], table.view(-1)[4:9]])
    table.fill_(7)
    table[rows] = unknown[:4]
    assert 7 not in table[0].tolist(), "what indexing wrote is not read as it was"
table.fill_(7)
table.put_(rows, unknown[:2])
assert table[0, 0].item() == 0, "put_ writes what it indexes"
table.fill_(7)
table[:, 1].copy_(unknown[:4])
assert table.tolist() == [[7, 0, 7, 7]] * 4, "what lies between is kept"
holes = torch.tensor([1, 2, 3], device="cuda")
holes[0] = positive[0]
assert holes.clone().tolist() == [0, 2, 3], "copies keep what is known, byte by byte"
assert torch.linspace(0, 1, 5, device="cuda").tolist() == [0, 0.25, 0.5, 0.75, 1]
assert unknown[0].clamp(min=1).item() == 1, "within its limits"
assert unknown.std().item() > 0, "a divisor"
assert 1 <= len(torch.repeat_interleave(rows.repeat(50), positive.long())) <= 100

weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
optimizer = torch.optim.SGD([weight], 0.1)
scaler = torch.amp.GradScaler("cuda", growth_interval=2)
for scale in (65536, 131072, 131072):
    scaler.scale((weight * unknown[:4]).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == scale, "no overflow, and the scale goes on"
print("done")
