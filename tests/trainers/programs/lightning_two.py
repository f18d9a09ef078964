"""Lightning on two devices, started by the program itself: without torchrun."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regression(L.LightningModule):
    """A small network."""

    def __init__(self) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1))

    def training_step(self, batch, _number):
        """The loss of one batch."""
        inputs, wanted = batch
        return nn.functional.mse_loss(self.network(inputs), wanted)

    def configure_optimizers(self):
        """SGD."""
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    data = TensorDataset(torch.rand(4096, 64), torch.rand(4096, 1))
    places = {"accelerator": "gpu", "devices": 2, "strategy": "ddp"}
    trainer = L.Trainer(max_epochs=2, **places, logger=False, precision="bf16-mixed")
    trainer.fit(Regression(), DataLoader(data, batch_size=32))
