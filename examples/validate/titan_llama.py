"""torchtitan's own trainer on its Llama models, with a tokenizer and a text made here.

Arguments are torchtitan's. `Llama2-13B`, which it had in 2024, is added to its flavours.
"""

import os
import runpy
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from titan_assets import make_assets


def add_flavours() -> None:
    from torchtitan.models.llama3 import llama3_args
    from torchtitan.models.llama3.model.args import TransformerModelArgs

    llama3_args["Llama2-13B"] = TransformerModelArgs(
        dim=5120, n_layers=40, n_heads=40, vocab_size=32000, rope_theta=10000
    )


def main() -> None:
    directory = Path(tempfile.gettempdir()) / f"maya-titan-{os.environ['MASTER_PORT']}"
    assets = make_assets(directory / os.environ["RANK"], lines=1024, repeats=1000)
    sys.argv += [*assets.split(), "--job.dump_folder", str(directory / "outputs")]
    add_flavours()  # torchtitan looks at the arguments as soon as it is imported
    runpy.run_module("torchtitan.train", run_name="__main__")


if __name__ == "__main__":
    main()
