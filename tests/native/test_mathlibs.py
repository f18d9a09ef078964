"""cuBLAS, cuFFT, cuRAND, cuSOLVER, cuSPARSE and the Lt libraries: statuses, values, the record."""

import struct
import subprocess
from pathlib import Path

import pytest
from fakes import build, environment

from maya.trace.capture import Definition, read_capture

FP32, FP16, COMPLEX64, BF16, E4M3 = 0, 2, 4, 14, 28
COMPUTE_32F = 68
LIBRARY, INFO = 2, 22

SONAMES = {
    "cu12": {"cudart": 12, "cublas": 12, "cublasLt": 12, "cufft": 11, "cusolver": 11},
    "cu13": {"cudart": 13, "cublas": 13, "cublasLt": 13, "cufft": 12, "cusolver": 12},
}
COMMON = {"curand": 10, "cusparse": 12, "cusparseLt": 0}
PROGRAMS = {
    "blas": ["cublas"],
    "blas_lt": ["cublasLt", "cublas"],
    "fft_random": ["cufft", "curand"],
    "solver": ["cusolver"],
    "sparse": ["cusparse", "cusparseLt"],
}


@pytest.fixture(scope="module", params=["cu12", "cu13"])
def records(request, tmp_path_factory):
    """Function from a program's name to what it recorded; the program must succeed."""
    names = COMMON | SONAMES[request.param]
    out = tmp_path_factory.mktemp(request.param)
    done: dict[str, dict[str, list[Definition]]] = {}

    def run(program: str) -> dict[str, list[Definition]]:
        if program not in done:
            libraries = [f"lib{name}.so.{names[name]}" for name in [*PROGRAMS[program], "cudart"]]
            binary = build(f"mathlibs/{program}.cpp", out / program, libraries, request.param)
            done[program] = by_operation(execute(binary, out / f"{program}.run"))
        return done[program]

    return run


def execute(binary: Path, run_dir: Path) -> Path:
    run_dir.mkdir()
    result = subprocess.run(
        [binary], env=environment(run_dir), timeout=60, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    [capture] = run_dir.rglob("*.maya")
    return capture


def by_operation(capture: Path) -> dict[str, list[Definition]]:
    found: dict[str, list[Definition]] = {}
    for definition in read_capture(capture).definitions():
        if definition.kind == LIBRARY:
            found.setdefault(definition.op, []).append(definition)
        elif definition.kind == INFO:
            found.setdefault("info", []).append(definition)
    return found


def only(definitions: list[Definition], **expected: int) -> None:
    """One definition, with at least these fields."""
    [definition] = definitions
    assert expected.items() <= definition.fields.items()


def test_products_record_the_whole_problem(records):
    found = records("blas")
    tf32 = [d for d in found["cublasSgemm_v2"] if d.fields["math_mode"] == 3]
    only(tf32, m=5, n=6, k=7, transa=1, transb=0, lda=7, ldb=8, ldc=9, batch=1, a_type=FP32)
    only(found["cublasSgemm_v2_64"], m=5, n=6, k=7, beta_nonzero=1)
    shape = {"m": 16, "n": 32, "k": 64, "transb": 1}
    types = {"a_type": BF16, "b_type": BF16, "c_type": FP32, "compute_type": COMPUTE_32F}
    only(found["cublasGemmEx"], **shape, **types, algo=99, beta_nonzero=0)
    only(found["cublasGemmStridedBatchedEx"], batch=12, stride_a=64, stride_c=64, a_type=FP16)
    only(found["cublasGemmBatchedEx"], batch=2, m=8)
    only(found["cublasHgemm"], m=24, a_type=FP16, c_type=FP16, beta_nonzero=1)


def test_grouped_products_record_every_group(records):
    [grouped] = records("blas")["cublasGemmGroupedBatchedEx"]
    assert grouped.fields["groups"] == 2
    shapes = struct.unpack("<18q", grouped.blob)
    assert shapes[:6] == (4, 5, 6, 1, 0, 0)
    assert shapes[9:15] == (8, 9, 10, 1, 1, 1)


def test_wrong_products_record_nothing(records):
    shapes = [(d.fields["m"], d.fields["n"]) for d in records("blas")["cublasSgemm_v2"]]
    assert (0, 4) not in shapes
    assert (-1, 4) not in shapes
    assert shapes.count((8, 4)) == 1  # the one of six that was right


def test_lt_products_record_types_layouts_and_epilogue(records):
    found = records("blas_lt")["cublasLtMatmul"]
    split = [d for d in found if d.fields["split_k"]]
    only(split, m=64, n=32, k=16, split_k=4, algo=0)
    batched = [d for d in found if d.fields["batch"] == 3]
    only(batched, stride_a=4096, stride_d=4096, algo=-1, a_type=BF16, lda=64, ldb=16)
    fp8 = [d for d in found if d.fields["a_type"] == E4M3]
    only(fp8, transa=1, d_type=BF16, epilogue=36, fast_accum=1, compute_type=COMPUTE_32F)
    assert len(found) == 4  # the last through a cuBLAS handle


def test_transforms_record_the_plan(records):
    found = records("fft_random")
    only(found["cufftExecC2C"], rank=2, n0=64, n1=96, batch=1, direction=-1, in_place=1)
    shape = {"rank": 3, "n0": 8, "n1": 16, "n2": 32, "batch": 5, "idist": 4352}
    only(found["cufftXtExec"], **shape, input_type=FP32, output_type=COMPLEX64, in_place=0)
    assert "cufftExecZ2Z" not in found


def test_random_numbers_record_how_many(records):
    found = records("fft_random")
    only(found["curandGenerateUniform"], n=4, rng_type=161)
    only(found["curandGenerateNormal"], n=4)


def test_solvers_record_their_sizes(records):
    found = records("solver")
    only(found["cusolverDnSgetrf"], m=64, n=32, lda=64)
    only(found["cusolverDnXpotrf"], n=64, dataTypeA=FP32)
    only(found["cusolverDnSgesvdj"], m=32, n=32)
    assert "cusolverDnSpotrf" not in found


def test_sparse_products_record_the_matrices(records):
    found = records("sparse")
    only(found["cusparseSpMM"], rows=10, cols=20, nnz=30, n=7, algo=4, a_type=FP32, format=1)
    only(found["cusparseSDDMM"], m=10, n=20, k=5, nnz=30, beta_nonzero=1)
    only(found["cusparseSpSM_solve"], rows=10, nnz=25, right_sides=7)
    only(found["cusparseSpGEMM_compute"], m=10, n=20, k=20, nnz_a=30, nnz_b=40, nnz_c_expected=60)
    only(found["cusparseLtMatmul"], m=128, n=64, k=128, sparse_a=1, algo=2)


def test_invented_sizes_are_told(records):
    texts = [d.text("text") for d in records("sparse")["info"]]
    assert any("cusparseSpGEMM" in text for text in texts)
    assert any("cusparseXcsrgeam2Nnz" in text for text in texts)
