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
