"""The clone's measurements: every table has rows, a source and a licence, and loads with types."""

import json
from pathlib import Path

import polars as pl
import pytest

from maya.errors import MayaError
from workshop.fit.dataset import find_tables, has_table, held_out, read_table
from workshop.measurements.catalogue import FILE, TABLES, Table, table_of
from workshop.measurements.command import command as make_data
from workshop.measurements.provenance import provenance, why_left_out
from workshop.measurements.store import Measurements, measurements, parquet
from workshop.paths import DATA

MOST_BYTES = 25_000_000
COPIED_TEXT = {"inputs", "context", "context_before_table", "context_line", "error_message"}


@pytest.fixture(autouse=True)
def the_clones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAYA_DATA", raising=False)


def test_every_parquet_file_is_a_table_with_a_source_and_a_licence() -> None:
    stored = {path.stem for path in DATA.glob("*.parquet")}
    assert stored == {table.name for table in TABLES} == set(provenance().rows)
    assert all(source.licence and source.units for source in provenance().sources.values())
    assert sum(path.stat().st_size for path in DATA.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_has_the_rows_that_its_source_names_and_no_copied_text(table: Table) -> None:
    stored = pl.scan_parquet(parquet(table))
    assert stored.select(pl.len()).collect().item() == provenance().rows[table.name]
    columns = stored.collect_schema().names()
    assert not COPIED_TEXT & set(columns)
    assert not set(table.without) & set(columns)
    files = stored.select(pl.col(FILE).unique()).collect()[FILE]
    assert all(table_of(file) is table for file in files)


NUMBERS = {
    "kernelbench_timing": ["mean_ms", "std_ms", "min_ms", "max_ms", "trials"],
    "liger": ["y_value_50", "y_value_20", "y_value_80"],
    "cudnn_attention": ["fwd_time_ms", "bwd_time_ms", "q_seqlen", "sliding_window_size"],
    "cudnn_norms": ["fwd_time_ms", "bwd_time_ms", "N", "C"],
    "flagperf": ["kerneltime_us", "cputime_us"],
    "tracelens_kernels": ["dur_us", "launch_dur_us", "launch_to_start_us"],
    "trace_spans": ["start_ns", "end_ns", "correlation"],
    "ultrascale_steps": ["tok_s", "gpu_mem_gb", "dp", "tp", "pp"],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_figures_are_numbers(name: str) -> None:
    table = Measurements().table(name).select(NUMBERS[name])
    assert all(dtype.is_numeric() for dtype in table.dtypes), table.schema
    assert all(column.drop_nulls().len() for column in table)


def test_problems_of_kernelbench_have_their_sizes() -> None:
    timing = Measurements().table("kernelbench_timing")
    problems = Measurements().table("kernelbench_parameters")
    joined = timing.join(problems, on="problem_blob", how="semi")
    assert len(joined) > 0.9 * len(timing)
    square = problems.filter(pl.col("path").str.ends_with("1_Square_matrix_multiplication_.py"))
    assert "N" in json.loads(square["constants"][0])


def test_outputs_of_gpu_benches_become_numbers() -> None:
    table = Measurements().rows_of("kernels/gpu_benches/gpu-stream_h200.txt")
    first = next(values for values in table["values"].to_list() if len(values) > 8)
    assert first[:4] == [32.0, 4224.0, 3.0, 297.0]


def test_tables_of_torchao_keep_sizes_and_no_sentences() -> None:
    found = set(Measurements().table("torchao")["parameters"].unique())
    assert "N=2048, K=7168" in found
    assert all("=" in text for text in found if text)


def test_rows_of_a_file_are_in_its_order() -> None:
    rows = read_table("aiconfigurator", "h100_sxm", "gemm__trtllm_1.3.0rc20__gemm_perf.csv.gz")
    every = Measurements().table("aiconfigurator_gemm")
    own = every.filter(pl.col(FILE).str.contains("h100_sxm/gemm__trtllm_"))
    assert rows.equals(own.drop(FILE))
    share = held_out(rows, "m", "n", "k").mean()
    assert share == pytest.approx(0.2, abs=0.01)


def test_files_are_found_by_pattern() -> None:
    models = find_tables("vidur", "compute", "h100", "*", "mlp.csv.gz")
    assert len(models) == 6
    assert all(has_table(*model) for model in models)
    assert not has_table("vidur", "network", "a40_pairwise_nvlink", "all_reduce.csv.gz")


def test_what_has_no_licence_is_named_with_the_reason() -> None:
    with pytest.raises(MayaError, match="licence") as caught:
        read_table("nccl_tests_cluster_h100", "nccl_tests_h100.csv.gz")
    assert "MAYA_DATA" in (caught.value.hint or "")
    assert why_left_out("kernels/nccl_multi_node/rows.csv.gz")


def test_a_raw_folder_may_hold_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kernels" / "nccl_tests_cluster_h100"
    folder.mkdir(parents=True)
    (folder / "nccl_tests_h100.csv.gz").write_text("ranks,oop_time_us\n8,17.5\n")
    monkeypatch.setenv("MAYA_DATA", str(tmp_path))
    rows = read_table("nccl_tests_cluster_h100", "nccl_tests_h100.csv.gz")
    assert rows.rows() == [(8, 17.5)]


def test_a_raw_folder_gives_what_its_parquet_gives(tmp_path: Path) -> None:
    """Numbers stay numbers where one file has a column that another leaves empty."""
    raw = tmp_path / "raw"
    for index, text in enumerate(("model,seconds\na,1\n", "model,seconds\nb,\nc,\n")):
        path = raw / f"end_to_end/timm_infer-{index}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    table = measurements(raw).table("timm_inference")
    assert table.schema["seconds"] == pl.Int64
    assert table["model"].to_list() == ["a", "b", "c"]
    _, last = measurements(raw).texts_of("end_to_end/timm_infer-1.csv.gz")
    assert last == {"model": "c", "seconds": ""}


def test_a_folder_without_measurements_makes_no_tables(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match="no measurements"):
        make_data(tmp_path, tmp_path)
    assert not list(tmp_path.iterdir())
