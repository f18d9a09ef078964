"""What nanotron asks of flash-attn, over the same kernels that PyTorch has of it."""
