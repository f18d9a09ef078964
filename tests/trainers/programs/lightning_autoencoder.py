"""Lightning's quick start: an autoencoder of digits."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(L.LightningModule):
    """As in 15 minutes."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 784))

    def training_step(self, batch, _number):
        """The loss of one batch."""
        (pictures,) = batch
        flat = pictures.view(pictures.size(0), -1)
        return nn.functional.mse_loss(self.decoder(self.encoder(flat)), flat)

    def configure_optimizers(self):
        """Adam."""
        return torch.optim.Adam(self.parameters(), lr=1e-3)


loader = DataLoader(TensorDataset(torch.rand(2048, 1, 28, 28)), batch_size=64)
L.Trainer(max_epochs=2, accelerator="gpu", devices=1, logger=False).fit(Autoencoder(), loader)
