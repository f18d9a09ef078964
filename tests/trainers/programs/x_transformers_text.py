"""x-transformers' README: an autoregressive decoder with four micro-batches a step."""

import torch
from x_transformers import Decoder, TransformerWrapper
from x_transformers.autoregressive_wrapper import AutoregressiveWrapper

LENGTH, BATCH, MICRO_BATCHES = 512, 4, 4
layers = Decoder(dim=256, depth=4, heads=8, rotary_pos_emb=True, attn_flash=True)
model = TransformerWrapper(num_tokens=256, max_seq_len=LENGTH, attn_layers=layers)
model = AutoregressiveWrapper(model).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
text = torch.randint(256, (200_000,))


def batch() -> torch.Tensor:
    """Inputs and labels, a token apart, in one tensor."""
    starts = torch.randint(len(text) - LENGTH - 1, (BATCH,))
    return torch.stack([text[start : start + LENGTH + 1] for start in starts]).cuda()


for step in range(1000):
    model.train()
    for _ in range(MICRO_BATCHES):
        loss = model(batch())
        (loss / MICRO_BATCHES).backward()
    print("training loss", loss.item())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    optimizer.zero_grad()
    if step % 100 == 0:
        model.eval()
        with torch.no_grad():
            print("validation loss", model(batch()).item())
