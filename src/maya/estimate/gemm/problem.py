"""A matrix product, read from the record of any library."""

from dataclasses import dataclass

from maya.trace import Definition

_REAL = {0: "fp32", 1: "fp64", 2: "fp16", 3: "int8", 8: "int8", 14: "bf16", 28: "fp8", 29: "fp8"}
_COMPLEX = {4: "fp32", 5: "fp64"}
_NARROW = {33: "fp4"}
TYPE_BYTES = {
    0: 4.0, 1: 8.0, 2: 2.0, 3: 1.0, 4: 8.0, 5: 16.0, 8: 1.0, 10: 4.0, 14: 2.0, 24: 8.0,
    28: 1.0, 29: 1.0, 33: 0.5,
}  # fmt: skip  # cudaDataType_t
_FAST_16BIT = {74: "fp16", 75: "bf16", 76: "fp16"}  # cublasComputeType_t
_FAST_TF32 = 77
_TF32_MATH_MODE = 3  # CUBLAS_TF32_TENSOR_OP_MATH


@dataclass(frozen=True, slots=True)
class GemmProblem:
    """batch x (m x k) (k x n), row-major as frameworks see it: m rows of activations."""

    m: int
    n: int
    k: int
    batch: int = 1
    precision: str = "bf16"  # key of Gpu.flops_per_s
    in_bytes: float = 2.0
    out_bytes: float = 2.0
    layout: str = "tn"  # of cuBLAS: tn is a linear layer's forward
    accumulates: bool = False  # C is read too
    epilogue: bool = False
    pitches: tuple[int, int, int] = (0, 0, 0)  # bytes from row to row of A, B and C; 0: unknown

    @property
    def on_tensor_cores(self) -> bool:
        """Whether the type is one of theirs."""
        return self.precision not in ("fp32", "fp64")

    @property
    def flops(self) -> float:
        """A multiplication and an addition for each term."""
        return 2.0 * self.m * self.n * self.k * self.batch

    @property
    def bytes(self) -> float:
        """Operands once each."""
        reads = (self.m + self.n) * float(self.k) * self.in_bytes
        writes = float(self.m) * self.n * self.out_bytes * (2 if self.accumulates else 1)
        return self.batch * (reads + writes)


def gemm_problem(work: Definition) -> GemmProblem | None:
    """The product behind a cuBLAS, cuBLASLt or cuDNN record; None for anything else."""
    number = work.number
    m, n, k = number("m"), number("n"), number("k")
    if min(m, n, k) <= 0:
        return None
    a_type = number("a_type", number("atype", _type_of_name(work.op)))
    c_type = number("d_type", number("c_type", number("ctype", a_type)))
    layout = ("t" if number("transa") else "n") + ("t" if number("transb") else "n")
    return GemmProblem(
        m=n,  # column-major libraries see the transposed product
        n=m,
        k=k,
        batch=max(1, number("batch", number("batchcount", 1))),
        precision=precision(a_type, number("compute_type", 68), number("math_mode")),
        in_bytes=TYPE_BYTES.get(a_type, 4.0),
        out_bytes=TYPE_BYTES.get(c_type, 4.0),
        layout=layout,
        accumulates=bool(number("beta_nonzero")),
        epilogue=number("epilogue", 1) > 1,
        pitches=_pitches(work, a_type, c_type),
    )


def _pitches(work: Definition, a_type: int, c_type: int) -> tuple[int, int, int]:
    """Leading dimensions in bytes; a matrix of one column has no second row."""
    in_bytes, out_bytes = TYPE_BYTES.get(a_type, 4.0), TYPE_BYTES.get(c_type, 4.0)
    given = work.number
    sizes = (given("lda"), given("ldb"), given("ldd", given("ldc")))
    a, b, c = (
        int(size * width)
        for size, width in zip(sizes, (in_bytes, in_bytes, out_bytes), strict=True)
    )
    return a, b, c


def precision(a_type: int, compute_type: int, math_mode: int) -> str:
    """The key of the peak rate that the product runs at."""
    if a_type == 0:
        if compute_type == _FAST_TF32 or math_mode & 0xF == _TF32_MATH_MODE:
            return "tf32"
        return _FAST_16BIT.get(compute_type, "fp32")
    if a_type == 1:
        return "fp64_tensor"
    return _REAL.get(a_type) or _COMPLEX.get(a_type) or _NARROW.get(a_type, "fp32")


def _type_of_name(op: str) -> int:
    """cublasSgemm and its kin carry their type in a letter."""
    letter = op.removeprefix("cublas")[:1]
    return {"S": 0, "D": 1, "H": 2, "C": 4, "Z": 5}.get(letter, 0)
