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
assert torch.tensor([5, 3, 9]).cuda().flip(0).tolist() == [9, 3, 5]
assert torch.tensor([5, 3, 9]).cuda().sort().indices.tolist() == [1, 0, 2]
scratch = torch.tensor([7.0] * 64, device="cuda")
where = scratch.data_ptr()
del scratch
fresh = torch.empty(64, device="cuda").uniform_()
assert fresh.data_ptr() == where
assert fresh.cpu().eq(0).all(), "nothing stale is read"
print("done")
