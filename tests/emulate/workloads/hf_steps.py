"""Steps of a small Llama with a mask of ones (`ones`), or with none (`none`)."""

import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

sizes = {"hidden_size": 256, "intermediate_size": 256, "num_attention_heads": 4}
config = LlamaConfig(vocab_size=512, num_hidden_layers=2, **sizes)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for _ in range(6):
    tokens = torch.randint(2, 512, (2, 128)).cuda()
    mask = torch.ones(2, 128, dtype=torch.int64).cuda() if sys.argv[1] == "ones" else None
    model(input_ids=tokens, attention_mask=mask, labels=tokens).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
