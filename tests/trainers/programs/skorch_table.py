"""skorch's quick start: a network that is fitted as scikit-learn does."""

import numpy as np
from sklearn.datasets import make_classification
from skorch import NeuralNetClassifier
from torch import nn

table, labels = make_classification(1000, 20, n_informative=10, random_state=0)
network = nn.Sequential(
    nn.Linear(20, 10), nn.ReLU(), nn.Dropout(0.5), nn.Linear(10, 2), nn.Softmax(dim=-1)
)
model = NeuralNetClassifier(network, max_epochs=100, lr=0.1, device="cuda", batch_size=100)
model.fit(table.astype(np.float32), labels.astype(np.int64))
