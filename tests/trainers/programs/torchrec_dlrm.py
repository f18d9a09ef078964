"""TorchRec's embedding bags under DLRM, with a batch made on the host in each step."""

import torch
from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor
from torchrec.models.dlrm import DLRM, DLRMTrain

names = [f"feature{n}" for n in range(8)]
tables = [
    EmbeddingBagConfig(
        name=f"table{n}", embedding_dim=32, num_embeddings=10_000, feature_names=[name]
    )
    for n, name in enumerate(names)
]
bags = EmbeddingBagCollection(tables=tables, device=torch.device("cuda"))
model = DLRMTrain(DLRM(bags, 13, [64, 32], [64, 1], dense_device=torch.device("cuda")))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)


class Batch:
    """What DLRMTrain reads."""

    def __init__(self, size: int) -> None:
        values = torch.randint(0, 10_000, (size * len(names),))
        lengths = torch.ones(size * len(names), dtype=torch.int32)
        self.dense_features = torch.rand(size, 13).to("cuda")
        self.sparse_features = KeyedJaggedTensor(names, values, lengths=lengths).to("cuda")
        self.labels = torch.randint(0, 2, (size,)).to("cuda")


for _ in range(12):
    loss, _ = model(Batch(256))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
