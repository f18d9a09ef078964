"""Two runs that asked the same of the device are known to be equal."""

from pathlib import Path

from training_capture import FixedDurations, Script

from maya.hardware import find_gpu
from maya.recipe_search.trials.fingerprint import fingerprint

STEPS = 4


def mark_of(directory: Path, *, products: int = 2, later: int = 0) -> str:
    """Of steps of so many products; `later`: steps that came after they were found."""
    script = Script()
    for piece in range(1, STEPS + 1):
        for _ in range(products):
            script.call(script.gemm, stream=1)
        script.call(script.boundary, a=piece, cpu_ns=0)
    script.steady(STEPS, STEPS - 1)
    for _ in range(later * products):
        script.call(script.gemm, stream=1)
    directory.mkdir()
    return fingerprint([script.save(directory)], FixedDurations(), find_gpu("h100"))


def test_how_long_a_program_went_on_does_not_matter(tmp_path: Path) -> None:
    assert mark_of(tmp_path / "a", later=3) == mark_of(tmp_path / "b", later=50)


def test_other_work_in_the_steps_does(tmp_path: Path) -> None:
    assert mark_of(tmp_path / "a") != mark_of(tmp_path / "b", products=3)
