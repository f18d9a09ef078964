"""torchvision's ResNet-50 on synthetic images."""

import argparse

import torch
import torchvision

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
parser.add_argument("--channels-last", action="store_true")
parser.add_argument("--benchmark", action="store_true")
parser.add_argument("--batch-size", type=int, default=8)
args = parser.parse_args()

torch.backends.cudnn.benchmark = args.benchmark
device = "cuda"
layout = torch.channels_last if args.channels_last else torch.contiguous_format
model = torchvision.models.resnet50(num_classes=100).to(device, memory_format=layout)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scaler = torch.amp.GradScaler("cuda", enabled=args.amp)
images = torch.randn(args.batch_size, 3, 64, 64).to(device, memory_format=layout)
labels = torch.randint(0, 100, (args.batch_size,)).to(device)

model.train()
for step in range(600_000):
    with torch.autocast("cuda", dtype=torch.float16, enabled=args.amp):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
