"""sentence-transformers' training overview: pairs with other answers of the batch as negatives."""

import sys

from datasets import load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    losses,
    models,
)

directory = sys.argv[1]
words = models.Transformer(f"{directory}/models/bert", max_seq_length=64)
model = SentenceTransformer(modules=[words, models.Pooling(words.get_word_embedding_dimension())])
rows = load_dataset("csv", data_files=f"{directory}/text/pairs.csv", split="train")
rows = rows.select_columns(["sentence1", "sentence2"])
trainer = SentenceTransformerTrainer(
    model=model,
    args=SentenceTransformerTrainingArguments(
        "out", per_device_train_batch_size=32, report_to="none"
    ),
    train_dataset=rows,
    loss=losses.MultipleNegativesRankingLoss(model),
)
trainer.train()
