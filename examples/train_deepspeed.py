"""The model of train_gpt2.py with DeepSpeed's ZeRO. Start with deepspeed or torchrun."""

import argparse
import json
import os
from pathlib import Path

import deepspeed
import torch
import torch.nn.functional as F
from train_gpt2 import GPT

VOCABULARY = 50304


def main() -> None:
    """Train on random tokens."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default="examples/deepspeed.json")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text("utf-8"))
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    deepspeed.init_distributed("nccl")
    sharded = config["zero_optimization"]["stage"] == 3
    with device, deepspeed.zero.Init(enabled=sharded, config_dict_or_path=config):
        model = GPT(VOCABULARY, args.length, args.width, args.layers, heads=args.width // 64)
    # DeepSpeed's own CPU optimiser is compiled for the machine; torch's serves here.
    config["zero_force_ds_cpu_optimizer"] = False
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
    batch, rounds = engine.train_micro_batch_size_per_gpu(), engine.gradient_accumulation_steps()
    while True:
        for _ in range(rounds):
            ids = torch.randint(VOCABULARY, (batch, args.length + 1)).to(engine.device)
            logits = engine(ids[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1).float(), ids[:, 1:].flatten())
            engine.backward(loss)
            engine.step()


if __name__ == "__main__":
    main()
