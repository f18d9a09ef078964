"""Fourier transforms and dense linear algebra, forward and backward."""

import torch

device = "cuda"
signal = torch.randn(4, 64, 64).to(device).requires_grad_()
spectrum = torch.fft.rfft2(signal)
filtered = torch.fft.irfft2(spectrum * 0.5, s=(64, 64))
filtered.square().mean().backward()
waves = torch.fft.ifft(torch.fft.fft(torch.randn(8, 100).to(device)))
volume = torch.fft.fftn(torch.randn(2, 8, 8, 8, dtype=torch.complex64).to(device), dim=(1, 2, 3))
print(
    "fft", tuple(spectrum.shape), tuple(waves.shape), tuple(volume.shape), signal.grad is not None
)

for shape in [(16, 16), (3, 16, 16), (128, 128)]:
    base = torch.randn(*shape, dtype=torch.float64)
    a = (
        (base @ base.mT + shape[-1] * torch.eye(shape[-1], dtype=torch.float64))
        .to(device)
        .requires_grad_()
    )
    b = torch.randn(*shape, dtype=torch.float64).to(device)
    factor = torch.linalg.cholesky(a)
    u, s, vh = torch.linalg.svd(a)
    q, r = torch.linalg.qr(a)
    values, vectors = torch.linalg.eigh(a)
    lu, pivots = torch.linalg.lu_factor(a)
    results = {
        "cholesky": factor,
        "cholesky_solve": torch.cholesky_solve(b, factor),
        "svd": s,
        "qr": r,
        "eigh": values,
        "solve": torch.linalg.solve(a, b),
        "inv": torch.linalg.inv(a),
        "lu_solve": torch.linalg.lu_solve(lu, pivots, b),
        "triangular": torch.linalg.solve_triangular(factor, b, upper=False),
        "lstsq": torch.linalg.lstsq(a, b).solution,
        "slogdet": torch.linalg.slogdet(a).logabsdet,
    }
    sum(value.square().sum() for value in results.values()).backward()
    print(shape, *results)
torch.cuda.synchronize()
print("done")
