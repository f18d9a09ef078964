"""nanochat's base_train, behind its tokenizer's training: nanochat.py TEXT DIRECTORY ARGUMENT...

Called in the repository's directory.
"""

import os
import runpy
import subprocess
import sys
from pathlib import Path

_TEXT, _BASE = Path(sys.argv[1]), Path(sys.argv[2])


def _prepare() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    shards = _BASE / "base_data_climbmix"
    shards.mkdir(parents=True, exist_ok=True)
    table = pa.table({"text": _TEXT.read_text("utf-8").splitlines()})
    for number in range(2):
        pq.write_table(table, shards / f"shard_{number:05d}.parquet", row_group_size=200)
    train = ["-m", "scripts.tok_train", "--max-chars", "200000", "--vocab-size", "1024"]
    subprocess.run([sys.executable, *train], check=True)


os.environ["NANOCHAT_BASE_DIR"] = str(_BASE)
sys.path.insert(0, str(Path.cwd()))
if not (_BASE / "tokenizer").exists():
    _prepare()
sys.argv = ["base_train", *sys.argv[3:]]
runpy.run_module("scripts.base_train", run_name="__main__", alter_sys=True)
