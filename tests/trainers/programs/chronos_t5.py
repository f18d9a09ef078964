"""Chronos' training script on series that are made up: chronos_t5.py MODEL DIRECTORY.

Called in the repository's directory. The script takes its settings from a file.
"""

import runpy
import sys
from pathlib import Path

import numpy as np
import yaml
from gluonts.dataset.arrow import ArrowWriter

MODEL, PLACE = sys.argv[1], Path(sys.argv[2])
PLACE.mkdir(parents=True, exist_ok=True)
series = [np.random.default_rng(seed).random(1024).astype(np.float32) for seed in range(32)]
rows = [{"start": np.datetime64("2000-01-01 00:00", "s"), "target": values} for values in series]
ArrowWriter(compression="lz4").write_to_file(rows, path=PLACE / "series.arrow")
settings = yaml.safe_load(Path("scripts/training/configs/chronos-t5-tiny.yaml").read_text())
settings |= {
    "training_data_paths": [str(PLACE / "series.arrow")],
    "probability": [1.0],
    "model_id": MODEL,
    "output_dir": str(PLACE / "output"),
    "random_init": True,
    "dataloader_num_workers": 1,
    "torch_compile": False,
    "max_steps": 100,
}
(PLACE / "settings.yaml").write_text(yaml.safe_dump(settings))
sys.argv = ["train.py", "--config", str(PLACE / "settings.yaml")]
runpy.run_path("scripts/training/train.py", run_name="__main__")
