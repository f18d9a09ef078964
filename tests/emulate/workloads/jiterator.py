"""Operators that PyTorch compiles while running, through NVRTC, one of the user's own too."""

import torch

device = "cuda"
x = torch.rand(100, device=device)
print(torch.special.bessel_j0(x).shape, torch.special.i0e(x).shape)
print(torch.gcd(torch.arange(100).to(device), torch.arange(100).to(device)).shape)
print(torch.polar(x, x).sigmoid().shape)
swish = torch.cuda.jiterator._create_jit_fn(
    "template <typename T> T swish(T x, T b) { return x / (T(1) + exp(-b * x)); }"
)
print(swish(x, x).shape)
torch.cuda.synchronize()
print("done")
