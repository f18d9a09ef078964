"""PEFT's quick start: LoRA on a causal model, with transformers' Trainer."""

import sys

import datasets
import peft
import transformers as t

directory = sys.argv[1]
tokenizer = t.AutoTokenizer.from_pretrained(f"{directory}/models/llama")
model = t.AutoModelForCausalLM.from_pretrained(f"{directory}/models/llama")
lora = peft.LoraConfig(task_type="CAUSAL_LM", r=8, target_modules=["q_proj", "v_proj"])
model = peft.get_peft_model(model, lora)
rows = datasets.load_dataset("json", data_files=f"{directory}/text/train.jsonl", split="train")
rows = rows.map(
    lambda row: tokenizer(row["text"], truncation=True, max_length=128), remove_columns=["text"]
)
trainer = t.Trainer(
    model=model,
    args=t.TrainingArguments("out", per_device_train_batch_size=8, bf16=True, report_to="none"),
    train_dataset=rows,
    data_collator=t.DataCollatorForLanguageModeling(tokenizer, mlm=False),
)
trainer.train()
