"""Cost of a kernel from its PTX and its launch."""
