"""A data loader with worker processes, pinned memory and non-blocking copies on a side stream."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = "cuda"


class Images(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.rand(3, 32, 32, generator=generator), index % 10


if __name__ == "__main__":
    loader = DataLoader(
        Images(),
        batch_size=16,
        num_workers=2,
        pin_memory=True,
        persistent_workers=True,
        shuffle=True,
    )
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)
    )
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    copies = torch.cuda.Stream()
    for _ in range(1000):
        for batch in loader:
            assert batch[0].is_pinned()
            with torch.cuda.stream(copies):
                images, labels = [part.to(device, non_blocking=True) for part in batch]
            torch.cuda.current_stream().wait_stream(copies)
            images.record_stream(torch.cuda.current_stream())
            labels.record_stream(torch.cuda.current_stream())
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
