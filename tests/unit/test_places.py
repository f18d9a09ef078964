"""Where work was asked for: told for one step, known for every step."""

from pathlib import Path

from training_capture import Script

from maya.simulator.rows import read_rows
from maya.trace.places import Place, alike, looks_of, read_places


def _told(directory: Path, *, boundary: bool = False) -> Script:
    script = Script()

    def work(definition: int, line: str, module: str, phase: str, number: int) -> None:
        script.call(definition, stream=1)
        if boundary:
            script.call(script.boundary, cpu_ns=0)
        place = script.define("place", 15, line=line, module=module, phase=phase)
        script.call(place, cpu_ns=0, a=number)

    work(script.gemm, "train.py:1 (forward)", "layers.0.up", "forward", 8)
    work(script.gemm, "train.py:1 (forward)", "layers.1.up", "forward", 10)
    work(script.kernel, "", "", "backward", 9)
    work(script.gemm, "", "", "backward", 7)
    work(script.kernel, "train.py:9 (main)", "(optimizer)", "optimizer", 0)
    return script


def test_backward_work_belongs_to_the_operator_that_made_its_node(tmp_path: Path) -> None:
    script = _told(tmp_path)
    capture = script.save(tmp_path)
    places = read_places(capture)
    assert places is not None
    up = "layers.*.up", "train.py:1 (forward)"
    assert places.of[looks_of(capture.definition(script.gemm))] == (
        Place(*up, "forward"),
        Place(*up, "forward"),
        Place(*up, "backward"),
    )
    assert places.of[looks_of(capture.definition(script.kernel))] == (
        Place(*up, "backward"),
        Place("(optimizer)", "train.py:9 (main)", "optimizer"),
    )


def test_a_step_boundary_between_work_and_its_place_is_passed_over(tmp_path: Path) -> None:
    script = _told(tmp_path, boundary=True)
    capture = script.save(tmp_path)
    places = read_places(capture)
    assert places is not None
    assert len(places.of[looks_of(capture.definition(script.gemm))]) == 3


def test_steps_with_more_calls_are_stretched(tmp_path: Path) -> None:
    script = _told(tmp_path)
    capture = script.save(tmp_path)
    places = read_places(capture)
    assert places is not None
    looks = looks_of(capture.definition(script.gemm))
    found = [places.at(looks, turn, 6) for turn in range(6)]
    phases = [place.phase for place in found if place]
    assert phases == ["forward"] * 4 + ["backward"] * 2
    assert places.at("another kernel", 0, 1) is None


def test_a_program_that_told_nothing_has_no_places(tmp_path: Path) -> None:
    script = Script()
    script.call(script.gemm, stream=1)
    assert read_places(script.save(tmp_path)) is None


def test_places_are_no_calls_of_the_program(tmp_path: Path) -> None:
    capture = _told(tmp_path).save(tmp_path)
    rows = read_rows(capture)
    ops = {capture.definition(number).op for number in rows.definition.tolist()}
    assert ops == {"stream", "cublasGemmEx", "kernel"}
    assert len(rows) == 6


def test_layers_that_were_fused_alike_are_one() -> None:
    assert alike("layers.0.norm + layers.1.norm") == "layers.*.norm"
    assert alike("layers.0 + layers.1.up") == "layers.* + layers.*.up"
