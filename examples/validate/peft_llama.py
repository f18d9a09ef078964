"""A step of PEFT's method comparison: one adapter on Llama-3.2-3B, with random weights and tokens.

Weights are bf16, the adapter's fp32 as PEFT makes them, batches are padded to their longest
sequence, gradients are clipped by norm, and the loss is read back after each step.
"""

import argparse
import json

import torch
from peft import get_peft_config, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

PADDED = 4  # tokens between one sequence of a batch and the next shorter one


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--adapter", required=True, help="PEFT's configuration, as JSON")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--tokens", type=int, required=True, help="of a step, without padding")
    parser.add_argument("--steps", type=int, default=1000)
    return parser.parse_args()


def base_model() -> LlamaForCausalLM:
    """Llama-3.2-3B's shape."""
    config = LlamaConfig(
        vocab_size=128256,
        hidden_size=3072,
        intermediate_size=8192,
        num_hidden_layers=28,
        num_attention_heads=24,
        num_key_value_heads=8,
        max_position_embeddings=131072,
        rope_theta=500000.0,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        use_cache=True,
    )
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    return model


def batch_of(count: int, tokens: int) -> dict[str, torch.Tensor]:
    """Sequences of about the same length, as buckets give them."""
    mean = tokens / count
    lengths = [round(mean + PADDED * ((count - 1) / 2 - place)) for place in range(count)]
    longest = max(lengths)
    mask = torch.tensor([[1] * length + [0] * (longest - length) for length in lengths])
    ids = torch.randint(0, 128000, (count, longest))
    return {"input_ids": ids, "attention_mask": mask}


def main() -> None:
    args = parse()
    model = get_peft_model(base_model(), get_peft_config(json.loads(args.adapter)))
    model.train()
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    rows = batch_of(args.batch, args.tokens)
    for step in range(1, args.steps + 1):
        batch = {name: part.to("cuda") for name, part in rows.items()}
        labels = batch["input_ids"].clone()
        for row, length in enumerate(rows["attention_mask"].sum(1).tolist()):
            labels[row, length + 1 :] = -100
        items = batch["attention_mask"].sum().item()
        optimizer.zero_grad()
        loss = model(**batch, labels=labels, num_items_in_batch=items).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        loss.item()
        loss.item()  # once more for the progress bar
        if step % 10 == 0:
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
