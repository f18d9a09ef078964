"""torchvision's resnet50, batch 256, AMP, channels last: an ordinary endless training loop."""

import torch
import torchvision

model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler()
images = torch.randn(256, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
labels = torch.randint(1000, (256,), device="cuda")
for _ in range(600_000):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
