"""transformers' guide to image classification, from a configuration."""

import torch
import transformers as t


class Pictures(torch.utils.data.Dataset):
    """Made up."""

    def __len__(self) -> int:
        return 512

    def __getitem__(self, number: int):
        return {"pixel_values": torch.rand(3, 224, 224), "labels": number % 10}


config = t.ViTConfig(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, num_labels=10)
t.Trainer(
    model=t.ViTForImageClassification(config),
    args=t.TrainingArguments(
        "out", per_device_train_batch_size=16, gradient_accumulation_steps=2, report_to="none"
    ),
    train_dataset=Pictures(),
).train()
