"""A speech-like recogniser: bidirectional LSTM and GRU layers, CTC loss, all through cuDNN."""

import torch
from torch import nn

device = "cuda"
frames, batch, features, symbols = 50, 4, 40, 20


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(features, 64, num_layers=2, bidirectional=True, dropout=0.1)
        self.gru = nn.GRU(128, 64)
        self.head = nn.Linear(64, symbols)

    def forward(self, x):
        x, _ = self.lstm(x)
        x, _ = self.gru(x)
        return self.head(x).float().log_softmax(dim=-1)


model = Recogniser().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
targets = torch.randint(1, symbols, (batch * 10,), dtype=torch.int32)

for _ in range(600_000):
    x = torch.randn(frames, batch, features, device=device)
    loss = nn.functional.ctc_loss(model(x), targets, [frames] * batch, [10] * batch)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
print("trained")
