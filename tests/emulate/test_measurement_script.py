"""The script of `maya calibrate --plan` runs through, and what it writes is believed."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import torch
from torch import nn
layers = nn.Conv2d(8, 16, 3), nn.Flatten(), nn.Linear(16 * 36, 64), nn.LayerNorm(64)
model = nn.Sequential(*layers).cuda()
optimizer = torch.optim.SGD(model.parameters())
for _ in range(6):
    q = torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.bfloat16)
    nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    model(torch.randn(4, 8, 8, 8, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def maya(place: Path, *words: str) -> str:
    command = [sys.executable, "-m", "maya", *words]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=280)
    assert done.returncode in (0, 6), done.stderr[-2000:]  # 6: the script trains nothing
    return done.stdout + done.stderr


def test_a_plan_is_measured_under_emulation_and_its_file_is_used(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    run = ("run", "--cluster", "h100:1")
    maya(tmp_path, *run, "-o", "first", "--", sys.executable, "train.py")
    told = maya(tmp_path, "calibrate", "--plan", "first", "--most", "100")
    assert "device time on h100 is known to" in told
    script = (sys.executable, "measure.py", "m.csv")
    options = ("--clock", "virtual", "--steps", "1000", "--allow-writes")
    said = maya(tmp_path, *run, *options, "-o", "second", "--", *script)
    assert "wrote m.csv" in said
    assert "left out" not in said
    kernels = (tmp_path / "m.csv").read_text()
    for name in ("convolution_fprop", "convolution_wgrad", "product", "flash_fwd", "layer_norm"):
        assert name in kernels
    with_them = maya(
        tmp_path, "simulate", "first", "--cluster", "h100:1", "--measurements", "m.csv"
    )
    assert "measured" in with_them
