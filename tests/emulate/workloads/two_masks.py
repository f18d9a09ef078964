"""flex_attention, both passes, under a causal mask, one of documents, and one that nobody knows."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

LENGTH = 2048
positions = torch.arange(LENGTH)


def causal_inside(documents):
    def mask(b, h, q, k):
        return (q >= k) & (documents[q] == documents[k])

    return create_block_mask(mask, None, None, LENGTH, LENGTH, device="cuda")


attention = torch.compile(flex_attention)
one, many = (positions * 0).cuda(), (positions // 256).cuda()
unknown = torch.empty(LENGTH, device="cuda", dtype=torch.int64)
for documents in (one, many, unknown):
    mask = causal_inside(documents)
    for _ in range(2):
        q, k, v = (
            torch.randn(2, 4, LENGTH, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
            for _ in range(3)
        )
        attention(q, k, v, block_mask=mask).sum().backward()
