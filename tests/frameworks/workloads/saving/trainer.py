"""Hugging Face Trainer: a checkpoint every step, two are kept, training goes on from the last."""

import os

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

config = LlamaConfig(
    vocab_size=512,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=128,
    use_cache=False,
)


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        row = torch.full((64,), index % 512)
        return {"input_ids": row, "labels": row}


def trainer(steps):
    arguments = TrainingArguments(
        output_dir="out",
        max_steps=steps,
        per_device_train_batch_size=2,
        save_steps=1,
        save_total_limit=2,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
    )
    return Trainer(LlamaForCausalLM(config), arguments, train_dataset=Tokens())


trainer(2).train()
assert os.path.isdir("out/checkpoint-2")
print("resumes from", sorted(os.listdir("out")), flush=True)
trainer(600_000).train(resume_from_checkpoint="out/checkpoint-2")
