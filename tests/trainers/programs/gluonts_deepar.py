"""GluonTS' quick start: DeepAR on made-up series."""

import numpy as np
import pandas as pd
from gluonts.dataset.pandas import PandasDataset
from gluonts.torch import DeepAREstimator

index = pd.date_range("2024-01-01", periods=400, freq="h")
frames = {str(n): pd.DataFrame({"target": np.random.rand(400)}, index=index) for n in range(8)}
DeepAREstimator(
    freq="h", prediction_length=24, batch_size=32, trainer_kwargs={"max_epochs": 2, "logger": False}
).train(PandasDataset(frames, target="target"))
