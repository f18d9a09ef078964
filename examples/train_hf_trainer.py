"""A GPT-2-like model with the Trainer of transformers; its own flags are understood."""

from dataclasses import dataclass

import torch
from torch.utils.data import Dataset
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class ModelArguments:
    """The model."""

    layers: int = 12
    width: int = 768
    length: int = 1024


class Tokens(Dataset[dict[str, torch.Tensor]]):
    """Random tokens."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        ids = torch.randint(50257, (self.length,))
        return {"input_ids": ids, "labels": ids}


def main() -> None:
    """Train."""
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    model, training = parser.parse_args_into_dataclasses()
    config = GPT2Config(
        n_layer=model.layers,
        n_embd=model.width,
        n_head=model.width // 64,
        n_positions=model.length,
        use_cache=False,
    )
    Trainer(GPT2LMHeadModel(config), training, train_dataset=Tokens(model.length)).train()


if __name__ == "__main__":
    main()
