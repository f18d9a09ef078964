"""Image classification as in NVIDIA's published ConvNets recipes, on images that are on the GPU.

AMP in fp16 with channels last and a constant loss scale, or TF32 in PyTorch's own layout; label
smoothing; SGD with momentum for residual networks, RMSprop for EfficientNet; several micro-batches
to an update where the published optimiser batch asks for them. DistributedDataParallel under
torchrun. Reading and decoding images is left out.
"""

import argparse
import contextlib
import os
from typing import Any

import timm
import torch

MODELS = {
    "resnet50": "resnet50",
    "resnext101-32x4d": "resnext101_32x4d",
    "se-resnext101-32x4d": "legacy_seresnext101_32x4d",
    "efficientnet-b0": "efficientnet_b0",
    "efficientnet-b4": "efficientnet_b4",
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--image-size", type=int, required=True)
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--updates", type=int, default=1000)
    return parser.parse_args()


def optimizer_for(name: str, model: torch.nn.Module) -> torch.optim.Optimizer:
    parameters = list(model.parameters())
    if name.startswith("efficientnet"):
        return torch.optim.RMSprop(parameters, lr=0.01, alpha=0.9, eps=1e-2, momentum=0.9)
    return torch.optim.SGD(parameters, lr=0.256, momentum=0.875, weight_decay=3e-5)


def main() -> None:
    args = parse()
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = True
    local = int(os.environ.get("LOCAL_RANK", "0"))
    torch.cuda.set_device(local)
    layout = torch.channels_last if args.amp else torch.contiguous_format
    with torch.device("cuda"):
        model: Any = timm.create_model(MODELS[args.model], pretrained=False)
    model = model.to(memory_format=layout).train()
    optimizer = optimizer_for(args.model, model)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        torch.distributed.init_process_group("nccl")
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[local])
    scaler = torch.amp.GradScaler("cuda", init_scale=128, growth_interval=1 << 30, enabled=args.amp)
    loss_function = torch.nn.CrossEntropyLoss(label_smoothing=0.1)
    size = args.image_size
    images = torch.randn(args.batch_size, 3, size, size, device="cuda").to(memory_format=layout)
    labels = torch.zeros(args.batch_size, dtype=torch.long, device="cuda")
    for _ in range(args.updates):
        for micro in range(args.accumulate):
            last = micro + 1 == args.accumulate
            held = last or not hasattr(model, "no_sync")
            with contextlib.nullcontext() if held else model.no_sync():
                with torch.autocast("cuda", dtype=torch.float16, enabled=args.amp):
                    loss = loss_function(model(images), labels) / args.accumulate
                scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
