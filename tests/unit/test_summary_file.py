"""summary.json: its schema is current, real ones satisfy it, and damaged ones are refused."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from rich.text import Text
from run_facts import stand_ins, write_facts
from training_capture import Script, training

import maya
from maya.analyze.diff import compare
from maya.analyze.limits import Limits, judge
from maya.cli.report import command as report
from maya.errors import MayaError
from maya.report import summary_lines
from maya.rundir import HeldFiles
from maya.summary import Summary, read_prediction

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs/summary.schema.json"
HOSTILE = (None, "[/]", -1, 1e308, 10**400, float("nan"), True, [], {}, [[]], {"a": "b"})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two ranks with a step, every field of the summary filled."""
    for rank in range(2):
        training(tmp_path, rank=rank, world=2)
    write_facts(tmp_path, ranks=stand_ins((0, 1)), held_files=HeldFiles(1, 2, 3, "held-files"))
    maya.simulate(tmp_path, cluster="h100:2", jitter=0.01, trials=2, slow_node={0: 1.5})
    return tmp_path


@pytest.fixture
def without_memory(tmp_path: Path) -> Path:
    """A script that ran out of memory."""
    directory = tmp_path / "oom"
    directory.mkdir()
    script = Script()
    script.call(script.gemm, stream=1)
    script.call(script.define("out_of_memory", 22, text="out of memory: 8 asked for, 3 free"))
    capture = script.save(directory)
    held = {"bytes": 5, "categories": {"parameters": 5}, "lines": [{"line": "a.py:1", "bytes": 5}]}
    failure = {"asked_bytes": 8, "free_bytes": 3, "allocated_bytes": 5, "reserved_bytes": 5}
    told = {"peak_allocated_bytes": 5, "peak_reserved_bytes": 5}
    told["out_of_memory"] = failure | {"held": held}  # type: ignore[assignment]
    capture.path.with_suffix(".memory.json").write_text(json.dumps(told), "utf-8")
    write_facts(directory, ended_by="script", exit_code=1)
    maya.simulate(directory, cluster="h100:1")
    return directory


def test_the_schema_in_the_docs_is_current() -> None:
    wanted = json.dumps(Summary.schema(), indent=2) + "\n"
    assert SCHEMA.read_text("utf-8") == wanted, "maya report --schema > docs/summary.schema.json"


def test_every_field_is_on_the_page_that_explains_them() -> None:
    page = (ROOT / "docs/simulation.md").read_text("utf-8").partition("## summary.json")[2]
    words = set(re.findall(r"\w+", page))
    catalogue = {"Cluster", "Gpu", "Node", "Fabric", "Host", "Price"}  # docs of clusters
    for name, part in Summary.schema()["$defs"].items():
        missing = part["properties"].keys() - words if name not in catalogue else set()
        assert not missing, f"{name}: {missing}"
    assert Summary.schema()["properties"].keys() <= words


def test_summaries_satisfy_the_schema_and_survive_a_round_trip(
    run: Path, without_memory: Path
) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    for directory in (run, without_memory):
        path = directory / "summary.json"
        jsonschema.validate(json.loads(path.read_text("utf-8")), schema)
        assert Summary.from_json(path.read_bytes(), path).to_json() == path.read_text("utf-8")


def test_the_whole_question_is_kept(run: Path) -> None:
    summary = read_prediction(run).summary
    assert summary.cluster == maya.simulate(run, cluster="h100:2").summary.cluster
    assert summary.options.variation is not None
    assert summary.options.variation.slow_nodes == ((0, 1.5),)


def test_every_damage_is_refused_with_the_file_or_does_no_harm(
    run: Path, without_memory: Path
) -> None:
    refused = harmless = 0
    for directory in (run, without_memory):
        path = directory / "summary.json"
        whole = json.loads(path.read_text("utf-8"))
        for damaged in damages(whole):
            told = reading(json.dumps(damaged), path)
            refused, harmless = refused + bool(told), harmless + (not told)
            assert not told or str(path) in told
    assert refused > 3000
    assert harmless < refused


def test_a_field_that_is_wrong_is_named(run: Path) -> None:
    path = run / "summary.json"
    loaded = json.loads(path.read_text("utf-8"))
    loaded["memory"]["peak"]["at_ms"] = "soon"
    with pytest.raises(MayaError, match=r"summary\.json, field memory\.peak\.at_ms: "):
        Summary.from_json(json.dumps(loaded), path)


@pytest.mark.parametrize("where", ["name", "category", "categories_ms"])
def test_markup_in_a_summary_is_printed_as_it_is(
    run: Path, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run / "summary.json"
    loaded = json.loads(path.read_text("utf-8"))
    if where == "categories_ms":
        loaded["critical_path"]["categories_ms"] = {"[/]": 1.0}
    else:
        loaded["critical_path"]["top"][0][where] = "[/]"
    path.write_text(json.dumps(loaded), "utf-8")
    report(run, top=15, prediction=None, json=False, schema=False)
    assert "[/]" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"schema_version": 2}', "\udcff"])
def test_what_is_no_summary_is_refused(run: Path, text: str) -> None:
    path = run / "summary.json"
    path.write_text(text, "utf-8", errors="surrogateescape")
    with pytest.raises(MayaError, match=r"summary\.json"):
        read_prediction(run)


def test_a_summary_of_an_older_version_says_what_to_do(run: Path) -> None:
    (run / "summary.json").write_text('{"schema_version": 1, "cluster": "h100:2"}', "utf-8")
    with pytest.raises(MayaError, match="has version 1, but this maya reads version 2") as caught:
        read_prediction(run)
    assert "maya simulate" in (caught.value.hint or "")


def test_a_damaged_table_of_kernels_is_refused(run: Path) -> None:
    (place,) = (run / "predictions").iterdir()
    (place / "kernels.json").write_text('{"rows": [{"name": 1}]}', "utf-8")
    with pytest.raises(MayaError, match=r"kernels\.json, field rows\.0\.name"):
        read_prediction(run).kernels()


def reading(text: str, path: Path) -> str:
    """Why it is refused; what is not is used."""
    try:
        summary = Summary.from_json(text, path)
    except MayaError as error:
        return error.message
    show(summary)
    return ""


def show(summary: Summary) -> None:
    """What commands do with a summary."""
    for line in summary_lines(summary):
        Text.from_markup(line)
    judge(summary, Limits(1.0, 1.0, 1.0, 0.1, 1.0, 1.0, 1.0, 1.0))
    kept = Kept(summary)
    compare(kept, kept)  # type: ignore[arg-type]


class Kept:
    """A prediction without a table."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary

    def kernels(self) -> tuple[()]:
        return ()


def damages(whole: Any) -> Iterator[Any]:
    """The document with one value replaced, or one field left out."""
    for place in places(whole):
        for value in HOSTILE:
            yield changed(whole, place, value)
        yield changed(whole, place, ..., leave_out=True)


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if here:
        yield here
    items = value.items() if isinstance(value, dict) else ()
    for key, inner in items or enumerate(value if isinstance(value, list) else ()):
        if "sources" not in here:  # words of the catalogue, one like the other
            yield from places(inner, (*here, key))


def changed(whole: Any, place: tuple[Any, ...], value: Any, *, leave_out: bool = False) -> Any:
    result = copy.deepcopy(whole)
    parent = result
    for key in place[:-1]:
        parent = parent[key]
    if leave_out:
        del parent[place[-1]]
    else:
        parent[place[-1]] = value
    return result
