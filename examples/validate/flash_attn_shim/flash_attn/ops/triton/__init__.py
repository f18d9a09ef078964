"""Its Triton kernels."""
