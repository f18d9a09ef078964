"""SetFit's quick start: pairs of sentences, each its own text."""

import sys

from datasets import load_dataset
from sentence_transformers import SentenceTransformer, models
from setfit import SetFitModel, Trainer, TrainingArguments

directory = sys.argv[1]
words = models.Transformer(f"{directory}/models/bert", max_seq_length=64)
body = SentenceTransformer(modules=[words, models.Pooling(words.get_word_embedding_dimension())])
body.save("out/body")
rows = load_dataset("csv", data_files=f"{directory}/text/pairs.csv", split="train[:64]")
rows = rows.rename_column("sentence2", "text").select_columns(["text", "label"])
rows = rows.class_encode_column("label")
Trainer(
    model=SetFitModel.from_pretrained("out/body"),
    args=TrainingArguments(batch_size=16, num_epochs=1, output_dir="out", report_to="none"),
    train_dataset=rows,
).train()
