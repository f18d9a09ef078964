"""Values that come from the host survive the GPU and come back."""

import numpy as np
import torch

device = "cuda"
for dtype in (
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
):
    host = torch.arange(64).to(dtype)
    assert torch.equal(host.to(device).cpu(), host), dtype
host = torch.randn(17, 5)
there = host.to(device)
assert torch.equal(there.clone().cpu(), host), "device to device"
assert torch.equal(there[3:7].cpu(), host[3:7]), "part of a tensor"
assert torch.equal(host.pin_memory().to(device, non_blocking=True).cpu(), host), "pinned"
assert torch.tensor(42, device=device).item() == 42
assert torch.tensor([1.5, 2.5], device=device).tolist() == [1.5, 2.5]
assert np.array_equal(there.cpu().numpy(), host.numpy())

target = torch.zeros(17, 5, device=device)
assert target.cpu().eq(0).all()
target.copy_(host)
target[2].copy_(torch.full((5,), 7.0))
host[2] = 7.0
assert torch.equal(target.cpu(), host), "copy into a row"

mask = torch.ones(3, 32768, dtype=torch.bool, device=device)
assert mask[:, 0].sum().item() == 3, "a mask of long sequences that is filled on the device"

back = torch.empty(17, 5, pin_memory=True)
back.copy_(target, non_blocking=True)
torch.cuda.synchronize()
assert torch.equal(back, host), "non-blocking copy to pinned memory"

state = torch.cuda.get_rng_state()
torch.cuda.manual_seed(1234)
assert torch.cuda.initial_seed() == 1234
torch.cuda.set_rng_state(state)

a = torch.randn(32, 32, device=device)
product = (a @ a).softmax(dim=-1)
print("kernel-made", product.sum().item(), product.cpu().abs().max().item())
if product.sum() > 1e9:
    raise SystemExit("not reached")
print("done")
