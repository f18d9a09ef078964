"""As in generation: one query, and a key more each time."""

import torch

query = torch.randn(2, 4, 1, 64, device="cuda", dtype=torch.bfloat16)
for length in range(8, 48):
    keys = torch.randn(2, 4, length, 64, device="cuda", dtype=torch.bfloat16)
    torch.nn.functional.scaled_dot_product_attention(query, keys, keys)
