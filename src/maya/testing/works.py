"""Pieces of device work, made by hand."""

import struct

from maya.trace import Definition
from maya.trace.format import Kind

POINTER = struct.pack("<Q", 0x4D41594150545200)
ADD_KERNEL = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
)


def kernel(
    name: str,
    blob: bytes = b"",
    grid: tuple[int, ...] = (1, 1, 1),
    block: tuple[int, ...] = (128, 1, 1),
    **fields: int,
) -> Definition:
    """A launch."""
    places = zip(("grid_x", "grid_y", "grid_z"), (*grid, 1, 1), strict=False)
    threads = zip(("block_x", "block_y", "block_z"), (*block, 1, 1), strict=False)
    values: dict[str, int | str] = {"kernel": name, **dict(places), **dict(threads), **fields}
    return Definition(1, "kernel", Kind.KERNEL, values, blob=blob)


def library(op: str, **fields: int | str) -> Definition:
    """A library call."""
    return Definition(1, op, Kind.LIBRARY, fields)


def gemm(m: int, n: int, k: int, data_type: int = 14, **fields: int) -> Definition:
    """A product of cuBLAS; 14 is bf16."""
    types = {"a_type": data_type, "b_type": data_type, "c_type": data_type, "compute_type": 68}
    sizes = {"m": m, "n": n, "k": k, "batch": 1, "transa": 1, "transb": 0}
    return library("cublasGemmEx", **(sizes | types | fields))


def copy(size: int, direction: int = 3, **fields: int) -> Definition:
    """A memcpy; 1 to the device, 2 to the host, 3 inside the device."""
    return Definition(1, "memcpy", Kind.COPY, {"bytes": size, "direction": direction, **fields})


def memset(size: int) -> Definition:
    """A fill."""
    return Definition(1, "memset", Kind.MEMSET, {"bytes": size, "value": 0})


def add(elements: int) -> Definition:
    """float32 a + b with PyTorch's vectorised kernel."""
    blob = struct.pack("<if", elements, 1.0) + POINTER * 3
    return kernel(ADD_KERNEL, blob, grid=(max(1, elements // 512),))


def typical() -> dict[str, Definition]:
    """One of each kind, and some that nobody knows."""
    return {
        "gemm": gemm(4096, 4096, 4096),
        "add": add(1 << 20),
        "unknown kernel": kernel("nobody_knows_me", grid=(256,)),
        "unknown library": library("cufftExecC2C", nx=1024, batch=8),
        "copy": copy(1 << 20, direction=1),
        "memset": memset(1 << 20),
        "empty copy": copy(0),
        "nonsense": kernel(ADD_KERNEL, b"\xff" * 16),
    }
