"""A user's measurements: what they hold for, and what is said of bad files."""

from pathlib import Path

import polars as pl
import pytest

from maya.errors import MayaError
from maya.estimate import Source, default_chain, read_measurements
from maya.hardware import find_gpu
from maya.testing import works

H100, A100 = find_gpu("h100"), find_gpu("a100-80")
GOOD = """kernel,duration_us,gpu,uncertainty,m,n,k
cublasGemmEx,118.5,h100,0.01,4096,8192,512
cublasGemmEx,99,,,,,
nobody_knows_me,7.25,,,,,
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "kernels.csv"
    path.write_text(text)
    return path


def test_the_closest_row_wins_and_is_called_measured(tmp_path: Path) -> None:
    chain = default_chain([read_measurements(write(tmp_path, GOOD))])
    close = chain.estimate(works.gemm(4096, 8192, 512), H100)
    assert (close.duration_ns, close.source, close.uncertainty) == (118_500, Source.MEASURED, 0.01)
    assert chain.estimate(works.gemm(4096, 8192, 513), H100).duration_ns == 99_000
    assert chain.estimate(works.gemm(4096, 8192, 512), A100).duration_ns == 99_000
    assert chain.estimate(works.kernel("nobody_knows_me"), A100).duration_ns == 7_250
    assert chain.estimate(works.add(1 << 20), H100).source != Source.MEASURED


def test_kernels_are_found_by_any_of_their_names(tmp_path: Path) -> None:
    mangled = "_ZN2at6native13reduce_kernelILi512ELi1EEEvi"
    for name in (mangled, '"void at::native::reduce_kernel<512, 1>(int)"', "reduce_kernel"):
        measured = read_measurements(write(tmp_path, f"kernel,duration_ns\n{name},1234\n"))
        answer = measured.estimate(works.kernel(mangled), H100)
        assert answer
        assert answer.duration_ns == 1234, name


def test_launch_geometry_can_be_asked_for(tmp_path: Path) -> None:
    text = "kernel,duration_us,grid_x\nk,1,10\nk,2,20\n"
    measured = read_measurements(write(tmp_path, text))
    answer = measured.estimate(works.kernel("k", grid=(20,)), H100)
    assert answer
    assert answer.duration_ns == 2000
    assert measured.estimate(works.kernel("k", grid=(30,)), H100) is None


def test_parquet_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "kernels.parquet"
    table = {"kernel": ["cublasGemmEx", "k"], "duration_ms": [0.5, 1.0], "m": [64, None]}
    pl.DataFrame(table).write_parquet(path)
    measured = read_measurements(path)
    answer = measured.estimate(works.gemm(64, 64, 64), H100)
    assert answer
    assert answer.duration_ns == 500_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no columns kernel and duration_us"),
        ("name,time\na,1\n", "no columns kernel and duration_us: name, time"),
        ("kernel,duration_us\na,1\nb,fast\n", "line 3: duration_us is no number: 'fast'"),
        ("kernel,duration_us\na,0\n", "line 2: has no duration above zero"),
        ("kernel,duration_us\na,nan\n", "line 2: has no duration above zero"),
        ("kernel,duration_us\n,1\n", "line 2: names no kernel"),
        ("kernel,duration_us\na,1,2\n", "line 2: has another number of cells"),
    ],
)
def test_a_bad_file_is_told_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MayaError) as caught:
        read_measurements(write(tmp_path, text))
    assert message in caught.value.message
    assert caught.value.hint


def test_a_missing_file_and_an_unknown_gpu_are_told(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match="cannot read measurements"):
        read_measurements(tmp_path / "none.csv")
    with pytest.raises(MayaError):
        read_measurements(write(tmp_path, "kernel,duration_us,gpu\na,1,h1000\n"))
