"""A model that is built on the host: large weights are left untouched, everything else is drawn."""

import resource

import torch

before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = torch.nn.Sequential(*(torch.nn.Linear(4096, 4096) for _ in range(8)))
for layer in model:
    layer.weight.data.normal_(0, 0.02)
    torch.nn.init.trunc_normal_(layer.weight)
model.cuda()
grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
assert grown_kb < 200_000, f"{grown_kb} kB for weights of 537 MB"

small = torch.nn.Linear(512, 512)
assert small.weight.std() > 0
data = torch.empty(4096, 4096).normal_()
assert data.std() > 0, "no weight: somebody may look at it"
weight = torch.nn.Parameter(torch.empty(4096, 4096))
assert not weight.data.uniform_().any(), "zeros, as it was allocated"
print("done")
