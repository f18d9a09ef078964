"""Hugging Face Trainer on a small Llama, with evaluation before training and logging on the way."""

import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

config = LlamaConfig(
    vocab_size=512,
    hidden_size=128,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=256,
    use_cache=False,
)


class Tokens(torch.utils.data.Dataset):
    def __init__(self, size):
        self.rows = torch.randint(0, 512, (size, 64))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {"input_ids": self.rows[index], "labels": self.rows[index]}


with tempfile.TemporaryDirectory() as directory:
    trainer = Trainer(
        model=LlamaForCausalLM(config),
        args=TrainingArguments(
            output_dir=directory,
            max_steps=600_000,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=2,
            bf16=True,
            eval_on_start=True,
            eval_strategy="no",
            logging_steps=10,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=Tokens(4096),
        eval_dataset=Tokens(16),
    )
    trainer.train()
