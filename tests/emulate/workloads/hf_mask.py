"""A small language model of Hugging Face with a mask of ones, which then generates."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    vocab_size=512,
    hidden_size=256,
    intermediate_size=256,
    num_hidden_layers=1,
    num_attention_heads=4,
    bos_token_id=1,
    eos_token_id=0,
    pad_token_id=0,
)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16)
tokens = torch.randint(2, 512, (2, 128)).cuda()
mask = torch.ones(2, 128, dtype=torch.int64).cuda()
model(input_ids=tokens, attention_mask=mask, labels=tokens).loss.backward()

start = tokens[:, :8].contiguous()
made = model.eval().generate(start, attention_mask=torch.ones_like(start), max_new_tokens=3)
print("generated", tuple(made.shape))
