"""Kernel names for people."""

import pytest
from capture_writer import KERNEL

from maya.trace.names import demangle, short_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (KERNEL, "vectorized_elementwise_kernel<FillFunctor>"),
        ("triton_poi_fused_add_0", "triton_poi_fused_add_0"),
        ("_Z4axpyifPfS_", "axpy"),
        ("_ZN8flash_ns10fwd_kernelIfEEvPT_", "fwd_kernel"),
        ("_ZN12_GLOBAL__N_14realEi", "real"),
        ("", ""),
        ("_Znonsense", "_Znonsense"),
        ("void <<>>((", "void"),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


def test_demangled_name_is_whole() -> None:
    assert "at::native::FillFunctor<float>" in demangle(KERNEL)


def test_names_that_cannot_be_printed_are_left_as_they_are() -> None:
    repeated = [f"S_I{part}{part}E" for part in ("S0_", "S1_", "S2_", "S3_", "S4_", "S5_", "S6_")]
    short, long = "_Z1f1aIiiE", "_Z1f1aIiiE"
    short += "".join(repeated[:3])
    assert demangle(short).count("int, int") == 1 + 2 + 4 + 8
    long += "".join(repeated) + "".join(f"S_IS{c}_S{c}_E" for c in "789ABCDEFGHIJKLMNOPQRST")
    assert demangle(long) == long, "gigabytes"
    endless = "_Z1fIXsrayCEEvT_"
    assert demangle(endless) == endless, "libstdc++ would never come back"
    assert demangle("f") == "f", "a function of C, not the type `float`"
