"""DeepSpeed's engine: ZeRO 0 to 3, optimiser in host memory, or its pipeline."""

import argparse

import deepspeed
import torch
from deepspeed.pipe import PipelineModule
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--stage", type=int, default=1)
parser.add_argument("--offload", action="store_true", help="optimiser states and step on the host")
parser.add_argument("--pipeline", action="store_true")
parser.add_argument("--fp32", action="store_true")
parser.add_argument(
    "--accumulate", choices=["bf16", "fp32"], help="fp32, ZeRO 1: DeepSpeed's bf16 optimiser"
)
args = parser.parse_args()

WIDTH, LAYERS, MICRO_BATCHES = 256, 4, 2
deepspeed.init_distributed("nccl")
config = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": MICRO_BATCHES if args.pipeline else 1,
    "bf16": {"enabled": not args.fp32},
    "data_types": {"grad_accum_dtype": args.accumulate},
    "gradient_clipping": 1.0,
    "steps_per_print": 1_000_000,
    # The host's Adam would be compiled; torch's does the same work.
    "zero_force_ds_cpu_optimizer": False,
    "zero_optimization": {
        "stage": 0 if args.pipeline else args.stage,
        "stage3_param_persistence_threshold": 0,
    },
}
if args.offload:
    config["zero_optimization"]["offload_optimizer"] = {"device": "cpu", "pin_memory": True}


def block() -> nn.Module:
    return nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU())


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(block() for _ in range(LAYERS))

    def forward(self, x):
        for part in self.blocks:
            x = x + part(x)
        return x


def mean_square(x, _=None):
    return x.float().square().mean()


if args.pipeline:
    layers = [block() for _ in range(LAYERS)]
    model = PipelineModule(layers=layers, num_stages=2, loss_fn=mean_square)
else:
    with deepspeed.zero.Init(config_dict_or_path=config, enabled=args.stage == 3):
        model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)


def samples():
    while True:
        x = torch.randn(4, WIDTH, dtype=torch.float32 if args.fp32 else torch.bfloat16)
        yield x, x


stream = samples()
for step in range(600_000):
    if args.pipeline:
        engine.train_batch(data_iter=stream)
    else:
        x, _ = next(stream)
        engine.backward(mean_square(engine(x.to(engine.device))))
        engine.step()
    if step == 0 and torch.distributed.get_rank() == 0:
        print("first step done", flush=True)
