"""A router's decisions, counted in the ways that mixtures of experts count them."""

import torch

tokens, experts, choices = 1024, 8, 2
_, chosen = torch.topk(torch.randn(tokens, experts, device="cuda"), choices)

routed = torch.zeros(tokens, experts, device="cuda").int().scatter(1, chosen, 1).bool()
counts = routed.sum(dim=0)
print("map", counts.tolist())
print("groups", counts.reshape(2, 4).sum(dim=1).tolist())
print("turned", counts.reshape(2, 4).t().contiguous().flatten().tolist())
print("rows", tuple(routed.T.contiguous().nonzero().shape))
print("histogram", torch.histc(chosen.float(), bins=experts, min=0, max=experts).tolist())
half = chosen[: tokens // 2].float()  # where ranks divide the tokens
print("half", torch.histc(half, bins=experts, min=0, max=experts).tolist())
print("bincount", torch.bincount(chosen.flatten(), minlength=experts).tolist())

hit = (counts > 0).nonzero().flatten()
print("hit", hit.tolist())
one_hot = torch.nn.functional.one_hot(chosen, experts).permute(2, 1, 0)
print("each", [len(torch.where(one_hot[expert])[0]) for expert in hit])
# Masks that have nothing to do with routing: half full, or as the host has made them.
print("other", tuple((torch.randn(100, device="cuda") > 0).nonzero().shape))
print("large", tuple((torch.randn(3_000_000, device="cuda") > 0).nonzero().shape))
print("given", tuple(torch.tensor([1, 0, 1, 1, 0], device="cuda").nonzero().shape))
print("large given", tuple((torch.arange(200_000) % 4 == 0).cuda().nonzero().shape))
labels = torch.arange(100).cuda()
print("labels", len(labels[labels >= 30]), len(labels[labels != 7]), len(labels[labels < 20]))
