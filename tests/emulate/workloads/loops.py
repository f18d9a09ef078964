"""Loops without an optimiser: inference, a benchmark of one product, generation."""

import itertools
import sys

import torch
from torch import nn

kind, times = sys.argv[1], int(sys.argv[2])


@torch.no_grad()
def infer(model, batch):
    return model(batch).argmax(-1).sum().item()


def inference():
    layers = [nn.TransformerEncoderLayer(64, 2, 128, batch_first=True) for _ in range(4)]
    model = nn.Sequential(nn.Linear(16, 64), *layers, nn.Linear(64, 8)).cuda().eval()
    batch = torch.ones(2, 32, 16, device="cuda")
    for _ in range(times) if times else itertools.count():
        infer(model, batch)


def product():
    left = torch.ones(64, 64, device="cuda")
    for _ in range(times):
        left @ left
    torch.cuda.synchronize()


def marked():
    left = torch.ones(64, 64, device="cuda")
    for number in range(times):
        with torch.profiler.record_function(f"batch {number}"):
            for _ in range(1 + number % 3):
                left @ left


def generation():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_layer=2, n_head=2, n_embd=64, vocab_size=128)
    model = GPT2LMHeadModel(config).cuda().eval()
    prompt = torch.ones(1, 8, dtype=torch.long, device="cuda")
    model.generate(prompt, max_new_tokens=times, min_new_tokens=times, do_sample=False)


globals()[kind]()
