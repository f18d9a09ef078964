"""A language model of two LSTM layers, trained with truncated backpropagation."""

import torch
from torch import nn

VOCABULARY, WIDTH, LENGTH, BATCH = 10_000, 650, 35, 20


class Model(nn.Module):
    """Embedding, LSTM, decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, num_layers=2, dropout=0.5)
        self.decoder = nn.Linear(WIDTH, VOCABULARY)

    def forward(
        self, ids: torch.Tensor, state: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, ...]:
        hidden, state = self.lstm(self.embedding(ids), state)
        return self.decoder(hidden), state


model = Model().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=20.0)
state = tuple(torch.zeros(2, BATCH, WIDTH, device="cuda") for _ in range(2))
for _ in range(600_000):
    ids = torch.randint(VOCABULARY, (LENGTH + 1, BATCH)).cuda(non_blocking=True)
    state = tuple(part.detach() for part in state)
    logits, state = model(ids[:-1], state)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
