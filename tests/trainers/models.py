"""Small models with random weights, and a tokenizer of whole words: models.py DIRECTORY WORD..."""

import sys
from pathlib import Path

import transformers as t
from tokenizers import Tokenizer, models, pre_tokenizers

_SPECIAL = {"pad": "<pad>", "bos": "<s>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"}
_WIDE = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4}


def main(directory: Path, words: list[str]) -> None:
    """One directory a model, as from_pretrained takes it."""
    tokenizer = _tokenizer(words)
    small = {"vocab_size": len(tokenizer), "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    gpt2 = t.GPT2Config(n_embd=256, n_layer=4, n_head=4, n_positions=1024, **small)
    bert = t.BertConfig(**_WIDE, intermediate_size=1024, **small)
    narrow = {**_WIDE, "intermediate_size": 688, "num_key_value_heads": 2, **small}
    llama, scores = t.LlamaConfig(**narrow), t.LlamaConfig(**narrow, num_labels=1)
    t5 = t.T5Config(d_model=256, d_ff=512, num_layers=2, decoder_start_token_id=0, **small)
    made = {
        "gpt2": t.AutoModelForCausalLM.from_config(gpt2),
        "bert": t.AutoModelForMaskedLM.from_config(bert),
        "llama": t.AutoModelForCausalLM.from_config(llama),
        "reward": t.AutoModelForSequenceClassification.from_config(scores),
        "t5": t.AutoModelForSeq2SeqLM.from_config(t5),
    }
    for name, model in made.items():
        model.save_pretrained(directory / name)
        tokenizer.save_pretrained(directory / name)


def _tokenizer(words: list[str]) -> t.PreTrainedTokenizerFast:
    numbers = {word: number for number, word in enumerate([*_SPECIAL.values(), *words])}
    plain = Tokenizer(models.WordLevel(numbers, unk_token=_SPECIAL["unk"]))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    named = {f"{name}_token": word for name, word in _SPECIAL.items()}
    made = t.PreTrainedTokenizerFast(tokenizer_object=plain, model_max_length=1024, **named)
    made.chat_template = "{% for m in messages %}{{ m['content'] }} {% endfor %}"
    return made


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
