"""A batch that does not fit."""

import torch

device = "cuda"
layer = torch.nn.Linear(4096, 4096).to(device)
print(torch.cuda.get_device_name(), flush=True)
hoard = []
while True:
    hoard.append(layer(torch.empty(1 << 18, 4096, device=device)))
