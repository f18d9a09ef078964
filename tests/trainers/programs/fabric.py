"""Fabric's quick start, without torchrun."""

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

fabric = L.Fabric(accelerator="cuda", devices=1, precision="bf16-mixed")
fabric.launch()
network = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
model, optimizer = fabric.setup(network, torch.optim.SGD(network.parameters(), lr=0.1))
data = TensorDataset(torch.rand(2048, 64), torch.rand(2048, 1))
for inputs, wanted in fabric.setup_dataloaders(DataLoader(data, batch_size=48)):
    optimizer.zero_grad()
    fabric.backward(torch.nn.functional.mse_loss(model(inputs), wanted))
    optimizer.step()
