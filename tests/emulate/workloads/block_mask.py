"""A block mask of documents, and one of numbers that nobody knows."""

import torch
from torch.nn.attention.flex_attention import and_masks, create_block_mask

LENGTH = 1024
documents = (torch.arange(LENGTH) // 256).cuda()


def causal(b, h, q, k):
    return q >= k


def same_document(b, h, q, k):
    return documents[q] == documents[k]


def made(function):
    return create_block_mask(function, None, None, LENGTH, LENGTH, device="cuda")


mask = made(and_masks(causal, same_document))
print(mask.kv_num_blocks.flatten().tolist(), mask.full_kv_num_blocks.flatten().tolist())
unknown = torch.empty(LENGTH, device="cuda")
made(lambda b, h, q, k: unknown[q] > unknown[k])
