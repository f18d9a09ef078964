"""Ray Train's quick start: a loop for each worker, with its model prepared by Ray."""

import ray.train.torch
import torch
from ray.train import ScalingConfig
from ray.train.torch import TorchTrainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_loop() -> None:
    """Of each worker."""
    network = nn.Sequential(nn.Flatten(), nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
    model = ray.train.torch.prepare_model(network)
    data = TensorDataset(torch.rand(4096, 1, 28, 28), torch.randint(10, (4096,)))
    loader = ray.train.torch.prepare_data_loader(DataLoader(data, batch_size=32))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for _ in range(10):
        for pictures, labels in loader:
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        ray.train.report({"loss": loss.item()})


TorchTrainer(train_loop, scaling_config=ScalingConfig(num_workers=4, use_gpu=True)).fit()
