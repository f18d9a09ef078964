"""pytorch-forecasting's temporal fusion transformer on made-up series."""

import lightning.pytorch as pl
import numpy as np
import pandas as pd
from pytorch_forecasting import TemporalFusionTransformer, TimeSeriesDataSet

rows = pd.DataFrame(
    {
        "time": np.tile(np.arange(200), 10),
        "group": np.repeat(np.arange(10), 200).astype(str),
        "value": np.random.rand(2000),
    }
)
data = TimeSeriesDataSet(
    rows,
    time_idx="time",
    target="value",
    group_ids=["group"],
    max_encoder_length=48,
    max_prediction_length=12,
    time_varying_unknown_reals=["value"],
)
loader = data.to_dataloader(train=True, batch_size=64, num_workers=0)
model = TemporalFusionTransformer.from_dataset(data, hidden_size=16, log_interval=-1)
pl.Trainer(max_epochs=2, accelerator="gpu", devices=1, logger=False).fit(model, loader)
