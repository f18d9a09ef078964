"""transformers' guide to text classification, with an evaluation after each twenty steps."""

import sys

import datasets
import transformers as t

directory = sys.argv[1]
tokenizer = t.AutoTokenizer.from_pretrained(f"{directory}/models/bert")
model = t.AutoModelForSequenceClassification.from_pretrained(f"{directory}/models/bert")
rows = datasets.load_dataset("csv", data_files=f"{directory}/text/pairs.csv", split="train")
rows = rows.map(
    lambda row: {
        **tokenizer(row["sentence1"], truncation=True, max_length=128),
        "labels": int(row["label"][-1]),
    },
    remove_columns=["sentence1", "sentence2", "label"],
)
trainer = t.Trainer(
    model=model,
    args=t.TrainingArguments(
        "out",
        per_device_train_batch_size=16,
        eval_strategy="steps",
        eval_steps=20,
        report_to="none",
    ),
    train_dataset=rows,
    eval_dataset=rows.select(range(64)),
    data_collator=t.DataCollatorWithPadding(tokenizer),
)
trainer.train()
