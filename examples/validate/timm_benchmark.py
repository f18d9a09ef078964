"""timm's training benchmark: forward, loss, backward and optimiser step on random images.

Written after the loop of timm's own benchmark (2022): AMP by autocast to fp16 without gradient
scaling, SGD with Nesterov momentum, cuDNN's benchmark mode, and attention written out, since timm
had no fused attention then.
"""

import argparse
import time

import timm
import torch
from timm.layers import set_fused_attn
from timm.optim import create_optimizer_v2


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--img-size", type=int, required=True)
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--iterations", type=int, default=40)
    return parser.parse_args()


def main() -> None:
    args = parse()
    torch.backends.cudnn.benchmark = True
    set_fused_attn(False)
    with torch.device("cuda"):
        model = timm.create_model(args.model, pretrained=False)
    layout = torch.channels_last if args.channels_last else torch.contiguous_format
    model = model.to(memory_format=layout).train()
    optimizer = create_optimizer_v2(model, opt="sgd", lr=1e-4)
    loss_function = torch.nn.CrossEntropyLoss()
    shape = (args.batch_size, 3, args.img_size, args.img_size)
    images = torch.randn(shape, device="cuda").contiguous(memory_format=layout)

    def step() -> None:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            output = model(images)
            output = output[0] if isinstance(output, tuple) else output
            target = torch.empty(output.shape[0], device="cuda", dtype=torch.long).random_(1000)
            loss_function(output, target).backward()
        optimizer.step()
        torch.cuda.synchronize()

    for _ in range(10):
        step()
    start = time.perf_counter()
    for _ in range(args.iterations):
        step()
    per_step = (time.perf_counter() - start) / args.iterations
    print(f"{args.model}: {1e3 * per_step:.3f} ms a step")


if __name__ == "__main__":
    main()
