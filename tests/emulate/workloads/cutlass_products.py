"""Products that PyTorch does with CUTLASS: fp8 with a scale a row, and groups that data divides."""

import torch

SCALED = (512, 1024, 2048)  # m, n, k
TOKENS, EXPERTS, WIDTH, HIDDEN = 4096, 8, 512, 1536


def scaled() -> None:
    m, n, k = SCALED
    a = torch.zeros(m, k, device="cuda").to(torch.float8_e4m3fn)
    b = torch.zeros(n, k, device="cuda").to(torch.float8_e4m3fn).t()
    rows, columns = torch.ones(m, 1, device="cuda"), torch.ones(1, n, device="cuda")
    torch._scaled_mm(a, b, scale_a=rows, scale_b=columns, out_dtype=torch.bfloat16)


def grouped() -> None:
    x = torch.zeros(TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16)
    weights = torch.zeros(EXPERTS, WIDTH, HIDDEN, device="cuda", dtype=torch.bfloat16)
    ends = torch.arange(1, EXPERTS + 1, device="cuda", dtype=torch.int32) * (TOKENS // EXPERTS)
    y = torch._grouped_mm(x, weights, offs=ends)
    torch._grouped_mm(x.t(), y, offs=ends)  # the gradient of the weights: data divides the sum


if __name__ == "__main__":
    for _ in range(20):  # remains of the stack differ from launch to launch
        scaled()
    grouped()
    torch.cuda.synchronize()
