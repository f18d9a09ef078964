"""Norms that nobody computed, and what programs make of them."""

import torch
from torch import nn

device = torch.device("cuda")
grad = torch.randn(512, 512, device=device)


def tell(what: str, value: torch.Tensor) -> None:
    print(what, value.tolist())


for dtype in (torch.float32, torch.float64, torch.bfloat16):
    tell(f"norm {dtype}", grad.to(dtype).norm())
tell("infinity norm", grad.norm(float("inf")))
tell("list", torch.stack(torch._foreach_norm([grad, grad[:10], grad[0]])))

# Total of squares, limit and coefficient, in the ways that frameworks clip.
squares = grad.norm() ** 2.0
squares.add_(grad.double().norm().float() ** 2.0)
total = squares**0.5
tell("total", total)
overflow = total.isinf().logical_or(total.isnan())
tell("overflow", overflow)
total.masked_fill_(overflow, torch.tensor(-1.0, device=device))
tell("kept", total > 0.0)
coefficient = 1.0 / (total + 1e-6)
print("clips", bool(coefficient < 1), "by", round(float(coefficient), 3))
tell("clamped", torch.clamp(total / 2 * 5 - 1, max=3.0))
tell("cubed", torch.tensor([2.0, 3.0], device=device) ** 3)
tell("third root", torch.tensor([8.0], device=device) ** (1 / 3))
tell("larger", torch.maximum(total, -total).rsqrt())
tell("chosen", torch.where(overflow, total, abs(-squares)))

# Through the host, as where no fused norm is at hand.
parts = torch.tensor([grad.norm(), grad[0].norm()])
tell("host", torch.tensor([float(torch.norm(parts))], device=device) ** 2.0)
tell("sum of squares", torch.stack([grad.double().norm(), grad[0].double().norm()]).pow(2).sum())
tell("norm of norms", torch.stack([grad.norm(), grad[0].norm()]).norm())

model = nn.Linear(64, 64, device=device)
model(torch.randn(4, 64, device=device)).sum().backward()
tell("clip_grad_norm_", nn.utils.clip_grad_norm_(model.parameters(), 1.0))

# None of these is a norm.
loss = grad.pow(2).mean()
tell("loss", loss)
tell("rows", grad.norm(dim=1)[:2])
scaler = torch.amp.GradScaler("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler.scale(model(torch.randn(4, 64, device=device)).sum()).backward()
scaler.unscale_(optimizer)
tell("found", scaler._found_inf_per_device(optimizer)[torch.device("cuda", 0)])
print("finite", bool(torch.isfinite(total)))
