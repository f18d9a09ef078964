"""Lightning: a checkpoint every step, two are kept, the second fit goes on from the last."""

import os

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))

    def training_step(self, batch, index):
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def fit(steps, resume=None):
    keep = ModelCheckpoint(
        dirpath="checkpoints",
        every_n_train_steps=1,
        save_top_k=2,
        monitor="step",
        mode="max",
        save_last=True,
        enable_version_counter=False,
    )
    data = TensorDataset(torch.randn(2048, 64), torch.randint(0, 10, (2048,)))
    pl.Trainer(
        accelerator="gpu",
        devices=1,
        max_steps=steps,
        logger=False,
        callbacks=[keep],
        enable_progress_bar=False,
    ).fit(Classifier(), DataLoader(data, batch_size=32), ckpt_path=resume)


fit(3)
print("resumes from", sorted(os.listdir("checkpoints")), flush=True)
fit(600_000, "checkpoints/last.ckpt")
