"""Transformers of Hugging Face in FP32 with attention written out: forward, or also backward.

Models are built from their sizes, nothing is downloaded. Written after the measurement that was
published with NeuSight: inputs are all ones, inference keeps no gradient, training adds up
gradients and has no optimiser. Emptying the allocator's cache between iterations, which lay
outside the timed part there, is left out.
"""

import argparse
from typing import Any

import torch
from torch.nn import functional
from transformers import (
    AutoModelForCausalLM,
    AutoModelForPreTraining,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    BertConfig,
    GPT2Config,
    OPTConfig,
    SwitchTransformersConfig,
)
from transformers.models.switch_transformers import modeling_switch_transformers

CONFIGS: dict[str, Any] = {
    "bert_large": BertConfig(
        hidden_size=1024, intermediate_size=4096, num_attention_heads=16, num_hidden_layers=24
    ),
    "gpt2_large": GPT2Config(n_embd=1280, n_head=20, n_layer=36),
    "gpt3_xl": GPT2Config(n_embd=3072, n_head=24, n_layer=24, n_positions=2048),
    "gpt3_27": GPT2Config(n_embd=2560, n_head=32, n_layer=32, n_positions=2048),
    "opt_13": OPTConfig(
        hidden_size=2048, ffn_dim=8192, num_attention_heads=32, num_hidden_layers=24,
        word_embed_proj_dim=2048,
    ),
    "switchxl4": SwitchTransformersConfig(
        d_model=1024, d_ff=16384, d_kv=128, num_heads=32, num_layers=24, num_decoder_layers=24,
        num_sparse_encoder_layers=12, num_sparse_decoder_layers=12, num_experts=4,
        expert_capacity=64,
    ),
}  # fmt: skip


def padded_experts(self: Any, hidden: torch.Tensor) -> Any:
    """The sparse layer as it was measured: every expert works on a buffer of full capacity."""
    mask, probabilities, logits = self.router(hidden)
    result = hidden.clone()
    buffer = hidden.new_zeros(hidden.shape[0] * self.router.expert_capacity, hidden.shape[-1])
    for index, expert in enumerate(self.experts.values()):
        chosen = mask[:, :, index].bool()
        # The router chooses no more than the buffer takes, which emulation cannot know.
        count = min(int(torch.count_nonzero(chosen)), len(buffer))
        places = tuple(part[:count] for part in chosen.nonzero(as_tuple=True))
        buffer[:count] = hidden[places]
        buffer = expert(buffer)
        result[places] = buffer[:count]
    return probabilities * result, (logits, torch.argmax(mask, dim=-1))


def build(name: str, training: bool) -> torch.nn.Module:
    config = CONFIGS[name]
    kind = AutoModelForCausalLM
    if name.startswith("bert"):
        kind = AutoModelForPreTraining if training else AutoModelForSequenceClassification
    elif name.startswith("switch"):
        kind = AutoModelForSeq2SeqLM
        modeling_switch_transformers.SwitchTransformersSparseMLP.forward = padded_experts
    with torch.device("cuda"):
        model = kind.from_config(config, attn_implementation="eager")
    return model.train(training)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=CONFIGS, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--seq-len", type=int, required=True)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--iterations", type=int, default=100_000)
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    model: Any = build(args.model, args.train)
    if args.compile:
        model = torch.compile(model)
    ids = torch.ones(args.batch_size, args.seq_len, dtype=torch.int64, device="cuda")
    inputs = {"input_ids": ids}
    if args.model.startswith("switch"):
        inputs |= {"attention_mask": ids, "decoder_input_ids": ids}
    for _ in range(args.iterations):
        with torch.set_grad_enabled(args.train):
            result = model(**inputs)
        if args.train:
            logits = getattr(result, "prediction_logits", None)
            logits = result.logits if logits is None else logits
            functional.cross_entropy(logits.view(-1, logits.size(-1)), ids.view(-1)).backward()
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
