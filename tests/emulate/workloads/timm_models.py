"""Models from timm, a few steps each."""

import argparse

import timm
import timm.optim
import torch

parser = argparse.ArgumentParser()
parser.add_argument("models", nargs="+")
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()
device = "cuda"

for name in args.models:
    model = timm.create_model(name, pretrained=False, num_classes=10, drop_path_rate=0.1).to(device)
    optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    images = torch.randn(
        4, *timm.data.resolve_model_data_config(model)["input_size"], device=device
    )
    labels = torch.randint(0, 10, (4,), device=device)
    for _ in range(args.steps):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"{name}: loss {loss.item():.4f}", flush=True)
