"""The recorder and the estimators put every kernel into the same family."""

import subprocess
from pathlib import Path

import pytest
from fakes import FLAGS, ROOT

from maya.families import family_of, table
from maya.families.family_table import ANY, EITHER, Family

# One kernel of each family that PyTorch 2.9.1 and 2.15.0 launched in tests/emulate's workloads.
REAL = Path(__file__).with_name("kernel_names.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("families") / "families"
    sources = ["tests/core/families.cpp", "core/kernels/family.cpp", "core/kernels/names.cpp"]
    sources += ["core/kernels/printed_size.cpp"]
    command = ["g++", *FLAGS, "-fsanitize=address,undefined", f"-I{ROOT / 'core'}"]
    subprocess.run(
        [*command, *(str(ROOT / source) for source in sources), "-o", str(out)],
        check=True,
        timeout=120,
    )
    return out


def _example(family: Family) -> str:
    """A name that the family's own pattern covers, with the last of each choice of words."""
    function = family.pattern.kernel.replace(ANY, "_of_some_kind")
    words = ", ".join(words.split(EITHER)[-1] for words in family.pattern.present)
    return f"void at::native::(anonymous namespace)::{function}<{words}>(int, float*)"


def _native(program: Path, names: list[str]) -> list[str]:
    done = subprocess.run(
        [program], input="\n".join(names) + "\n", capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_real_kernels_are_of_one_family(program: Path) -> None:
    found = _native(program, REAL)
    assert found == [family_of(name).name for name in REAL]
    assert len(set(found)) > 40


def test_every_row_fits_alike(program: Path) -> None:
    names = [_example(family) for family in table().families]
    found = _native(program, names)
    assert found == [family_of(name).name for name in names]
    # Most rows cover their own example; some stand behind a wider one for such a plain name.
    own = [family.name for family in table().families]
    assert sum(a == b for a, b in zip(found, own, strict=True)) > 0.9 * len(own)


def test_names_that_are_no_cpp_are_left_as_they_are(program: Path) -> None:
    names = ["triton_poi_fused_add_0", "nobody_knows_me", "_Znonsense", "a<b"]
    assert _native(program, names) == ["inductor", "", "", ""]
