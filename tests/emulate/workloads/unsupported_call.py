"""A call that the emulator does not implement, made in the middle of ordinary work."""

import ctypes

import torch

x = torch.ones(8, device="cuda")
runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
status = runtime.cudaArrayGetInfo(None, None, None, None)
print(f"status {status}", flush=True)
x.add_(1)
