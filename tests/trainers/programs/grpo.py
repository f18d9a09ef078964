"""TRL's quick start of GRPO, with the reward of its documentation."""

import sys

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

directory = sys.argv[1]


def reward_unique(completions, **_rest):
    """More different letters are better."""
    return [float(len(set(text))) for text in completions]


trainer = GRPOTrainer(
    model=f"{directory}/models/llama",
    reward_funcs=reward_unique,
    args=GRPOConfig(
        "out",
        per_device_train_batch_size=8,
        num_generations=8,
        max_completion_length=32,
        report_to="none",
    ),
    train_dataset=load_dataset(
        "json", data_files=f"{directory}/prompts/train.jsonl", split="train"
    ),
)
trainer.train()
