"""SpeechBrain's Brain on spoken commands that are made up: ECAPA-TDNN over filter banks."""

import speechbrain as sb
import torch
from speechbrain.lobes.features import Fbank
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN, Classifier
from torch.utils.data import DataLoader, TensorDataset


class Speakers(sb.Brain):
    """As in the project's recipe for speakers."""

    def compute_forward(self, batch, stage):
        """Features, embedding, scores."""
        signals = batch[0].to(self.device)
        features = self.modules.features(signals)
        return self.modules.classifier(self.modules.embedding(features))

    def compute_objectives(self, predictions, batch, stage):
        """Negative log likelihood."""
        wanted = batch[1].to(self.device)
        return torch.nn.functional.cross_entropy(predictions.squeeze(1), wanted)


if __name__ == "__main__":
    sizes = {"channels": [256, 256, 256, 256, 768], "lin_neurons": 96}
    modules = {
        "features": Fbank(n_mels=40),
        "embedding": ECAPA_TDNN(40, **sizes),
        "classifier": Classifier(96, out_neurons=10),
    }
    data = TensorDataset(torch.rand(256, 16000), torch.randint(0, 10, (256,)))
    loader = DataLoader(data, batch_size=16, drop_last=True)
    brain = Speakers(modules, lambda x: torch.optim.Adam(x, 1e-3), run_opts={"device": "cuda"})
    brain.fit(range(3), loader, progressbar=False)
