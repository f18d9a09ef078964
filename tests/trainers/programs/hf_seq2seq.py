"""transformers' guide to summarization: predict_with_generate every few steps, or each epoch.

hf_seq2seq.py DATA [STEPS]
"""

import sys

import datasets
import transformers as t

directory = sys.argv[1]
often = {"eval_strategy": "steps", "eval_steps": int(sys.argv[2])} if sys.argv[2:] else {}
tokenizer = t.AutoTokenizer.from_pretrained(f"{directory}/models/t5")
model = t.AutoModelForSeq2SeqLM.from_pretrained(f"{directory}/models/t5")
rows = datasets.load_dataset("json", data_files=f"{directory}/summaries/train.jsonl", split="train")
rows = rows.map(
    lambda row: {
        **tokenizer(row["text"], truncation=True, max_length=64),
        "labels": tokenizer(row["summary"])["input_ids"],
    },
    remove_columns=["text", "summary"],
)
trainer = t.Seq2SeqTrainer(
    model=model,
    args=t.Seq2SeqTrainingArguments(
        "out",
        per_device_train_batch_size=4,
        predict_with_generate=True,
        **(often or {"eval_strategy": "epoch"}),
        report_to="none",
    ),
    train_dataset=rows,
    eval_dataset=rows.select(range(8)),
    data_collator=t.DataCollatorForSeq2Seq(tokenizer, model=model),
)
trainer.train()
