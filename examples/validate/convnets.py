"""Image classification as NVIDIA's ConvNets recipes of 2021 do it, micro-batch by micro-batch.

AMP in fp16 with channels last and a constant loss scale, or TF32 in PyTorch's own layout. Bytes of
images come from pinned memory on a stream of their own while the micro-batch before computes, are
made floating and normalised there, and are mixed in pairs. The host waits for the device after
every micro-batch. DistributedDataParallel reduces gradients after each of them, not only before
the update. SGD with momentum for residual networks, RMSprop for EfficientNet, both tensor by
tensor, and gradients are zeroed rather than dropped: PyTorch of that time had nothing else.
Reading, decoding and augmenting images is left out.
"""

import argparse
import os
import random
from collections.abc import Iterator
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
CLASSES = 1000
MIX_UP = 0.2
SMOOTHING = 0.1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--image-size", type=int, required=True)
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--updates", type=int, default=1000)
    return parser.parse_args()


def optimizer_for(name: str, model: torch.nn.Module, decay: float) -> torch.optim.Optimizer:
    """Norms, which are the parameters with one dimension, decay no further."""
    flat = [value for value in model.parameters() if value.dim() == 1]
    rest = [value for value in model.parameters() if value.dim() > 1]
    groups = [{"params": flat, "weight_decay": 0.0}, {"params": rest, "weight_decay": decay}]
    if name.startswith("efficientnet"):
        return torch.optim.RMSprop(
            groups, lr=0.01, alpha=0.9, eps=1e-2, momentum=0.9, foreach=False
        )
    return torch.optim.SGD(groups, lr=0.256, momentum=0.875, foreach=False)


def batches(
    batch: int, size: int, layout: torch.memory_format
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Images and one-hot labels on the GPU: each is prepared while the one before is used."""
    stored = torch.zeros(batch, 3, size, size, dtype=torch.uint8)
    stored = stored.contiguous(memory_format=layout).pin_memory()
    classes = torch.zeros(batch, dtype=torch.long).pin_memory()
    mean = torch.tensor([123.7, 116.3, 103.5], device="cuda").view(1, 3, 1, 1)
    deviation = torch.tensor([58.4, 57.1, 57.4], device="cuda").view(1, 3, 1, 1)
    stream = torch.cuda.Stream()
    ready = None
    while True:
        with torch.cuda.stream(stream):
            images = stored.cuda(non_blocking=True).float().sub_(mean).div_(deviation)
            chosen = classes.cuda(non_blocking=True)
            labels = torch.zeros(batch, CLASSES, device="cuda").scatter(1, chosen[:, None], 1.0)
        if ready:
            yield ready
        torch.cuda.current_stream().wait_stream(stream)
        ready = images, labels


def mixed(images: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Each image with another one over it, and its label likewise."""
    weight = random.betavariate(MIX_UP, MIX_UP)
    other = torch.randperm(len(images)).cuda()
    return (
        weight * images + (1 - weight) * images[other],
        weight * labels + (1 - weight) * labels[other],
    )


def smooth_loss(output: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    likelihood = torch.nn.functional.log_softmax(output.float(), dim=-1)
    hit = -(likelihood * labels).sum(-1)
    return ((1 - SMOOTHING) * hit - SMOOTHING * likelihood.mean(-1)).mean()


def main() -> None:
    args = parse()
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = True
    local = int(os.environ.get("LOCAL_RANK", "0"))
    world = int(os.environ.get("WORLD_SIZE", "1"))
    torch.cuda.set_device(local)
    layout = torch.channels_last if args.amp else torch.contiguous_format
    with torch.device("cuda"):
        model: Any = timm.create_model(MODELS[args.model], pretrained=False)
    model = model.to(memory_format=layout).train()
    optimizer = optimizer_for(args.model, model, decay=3e-5)
    if world > 1:
        torch.distributed.init_process_group("nccl")
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[local])
    scaler = torch.amp.GradScaler("cuda", init_scale=128, growth_interval=1 << 30, enabled=args.amp)
    source = batches(args.batch_size, args.image_size, layout)
    for _ in range(args.updates):
        for micro in range(args.accumulate):
            images, labels = mixed(*next(source))
            with torch.autocast("cuda", dtype=torch.float16, enabled=args.amp):
                loss = smooth_loss(model(images), labels) / args.accumulate
            shown = loss.detach().clone()
            if world > 1:
                torch.distributed.all_reduce(shown)
                shown /= world
            scaler.scale(loss).backward()
            if micro + 1 == args.accumulate:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad(set_to_none=False)
            torch.cuda.synchronize()
            shown.item()


if __name__ == "__main__":
    main()
