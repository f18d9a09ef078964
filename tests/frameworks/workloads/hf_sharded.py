"""A small Llama, trained by HF Trainer or by accelerate, sharded by FSDP or by DeepSpeed."""

import argparse
import tempfile

import torch
from accelerate import Accelerator, DeepSpeedPlugin, FullyShardedDataParallelPlugin
from torch.utils.data import DataLoader
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("loop", choices=("trainer", "accelerate"))
parser.add_argument("sharding", choices=("fsdp", "deepspeed"))
args = parser.parse_args()

WRAP = "LlamaDecoderLayer"
ZERO = {
    "bf16": {"enabled": True},
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 1,
    "zero_optimization": {"stage": 2},
}


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        row = torch.randint(0, 512, (64,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": row, "labels": row}


def with_trainer(model, directory):
    sharded = {"deepspeed": {**ZERO, "gradient_clipping": 1.0}}
    if args.sharding == "fsdp":
        wrap = {"transformer_layer_cls_to_wrap": [WRAP]}
        sharded = {"fsdp": "full_shard auto_wrap", "fsdp_config": wrap}
    settings = TrainingArguments(
        output_dir=directory,
        max_steps=600_000,
        per_device_train_batch_size=2,
        bf16=True,
        logging_steps=1000,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        **sharded,
    )
    Trainer(model=model, args=settings, train_dataset=Tokens()).train()


def with_accelerate(model):
    if args.sharding == "fsdp":
        plugin = {
            "fsdp_plugin": FullyShardedDataParallelPlugin(
                fsdp_version=2,
                auto_wrap_policy="transformer_based_wrap",
                transformer_cls_names_to_wrap=[WRAP],
            )
        }
    else:
        plugin = {"deepspeed_plugin": DeepSpeedPlugin(hf_ds_config=ZERO)}
    accelerator = Accelerator(mixed_precision="bf16", **plugin)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Tokens(), batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    while True:
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()


llama = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=512,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=256,
        use_cache=False,
    )
)
if args.loop == "trainer":
    with tempfile.TemporaryDirectory() as output:
        with_trainer(llama, output)
else:
    with_accelerate(llama)
