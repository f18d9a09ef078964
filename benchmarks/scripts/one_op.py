"""Import torch and run one operation on the device named: seconds of the whole process so far."""

import sys
import time

import torch

torch.ones(8, device=sys.argv[1]).add_(1)
if sys.argv[1] == "cuda":
    torch.cuda.synchronize()
print(f"process_s={time.process_time()}")
