"""nanotron's own trainer on a Llama of the given shape, on data that it makes up itself.

`MAYA_NANOTRON` names a checkout of huggingface/nanotron at e24d2483. flash-attn is stood in for by
`flash_attn_shim`. Settings are those of its scaling benchmark: bf16, gradients added up in fp32,
fused AdamW, 1F1B, no recomputation, tensor parallelism by reduce-scatter with asynchronous linear
layers.
"""

import argparse
import os
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

_SIZES = ("layers", "hidden", "heads", "kv-heads", "ffn", "vocab", "seq-len")
_RECIPE = ("dp", "tp", "pp", "zero", "micro-batch", "accumulate")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in (*_SIZES, *_RECIPE):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--tied", action="store_true")
    args = parser.parse_args()
    root = Path(os.environ["MAYA_NANOTRON"])
    path = Path(tempfile.gettempdir()) / f"maya-nanotron-{os.getpid()}.yaml"
    path.write_text(yaml.safe_dump(configured(root, args)), encoding="utf-8")
    sys.path[:0] = [str(root / "src"), str(Path(__file__).with_name("flash_attn_shim"))]
    sys.argv = [str(root / "run_train.py"), "--config-file", str(path)]
    runpy.run_path(sys.argv[0], run_name="__main__")


def configured(root: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Its smallest example with this shape and recipe."""
    config: dict[str, Any] = yaml.safe_load((root / "examples/config_tiny_llama.yaml").read_text())
    stage = config["data_stages"][0]
    stage["data"]["dataset"] = None
    config["data_stages"] = [stage]
    config["checkpoints"]["checkpoint_interval"] = 1_000_000
    config["parallelism"] |= {"dp": args.dp, "tp": args.tp, "pp": args.pp}
    config["optimizer"]["zero_stage"] = args.zero
    config["optimizer"]["learning_rate_scheduler"]["lr_decay_steps"] = 900
    config["tokens"] |= {
        "batch_accumulation_per_replica": args.accumulate,
        "micro_batch_size": args.micro_batch,
        "sequence_length": args.seq_len,
        "train_steps": 1000,
    }
    config["model"]["model_config"] |= {
        "num_hidden_layers": args.layers,
        "hidden_size": args.hidden,
        "num_attention_heads": args.heads,
        "num_key_value_heads": args.kv_heads,
        "intermediate_size": args.ffn,
        "vocab_size": args.vocab,
        "max_position_embeddings": args.seq_len,
        "tie_word_embeddings": args.tied,
    }
    return config


if __name__ == "__main__":
    main()
