"""Hugging Face models made from their configurations, trained in a plain loop, a few steps each."""

import argparse

import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

small = {
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 256,
}
make = {
    "gpt2": lambda: GPT2LMHeadModel(
        GPT2Config(vocab_size=512, n_embd=128, n_layer=2, n_head=2, n_positions=128)
    ),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(vocab_size=512, num_key_value_heads=1, **small)),
    "bert": lambda: BertForMaskedLM(BertConfig(vocab_size=512, **small)),
    "t5": lambda: T5ForConditionalGeneration(
        T5Config(
            vocab_size=512,
            d_model=128,
            d_kv=64,
            d_ff=256,
            num_layers=2,
            num_heads=2,
            decoder_start_token_id=0,
        )
    ),
    "mixtral": lambda: MixtralForCausalLM(
        MixtralConfig(
            vocab_size=512,
            num_key_value_heads=1,
            num_local_experts=4,
            output_router_logits=True,
            **small,
        )
    ),
}
parser = argparse.ArgumentParser()
parser.add_argument("models", nargs="+", choices=make)
parser.add_argument("--steps", type=int, default=600_000)
args = parser.parse_args()
device = "cuda"

for name in args.models:
    model = make[name]().to(device, dtype=torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model.train()
    for _ in range(args.steps):
        ids = torch.randint(0, 512, (2, 64)).to(device)
        loss = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    print(f"{name}: loss {loss.item():.4f}", flush=True)
