"""Which raw files make which table, how they are read, and what of them is left behind."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import polars as pl

from workshop.measurements import raw

FILE = "raw_file"  # the column that names the raw file of a row


@dataclass(frozen=True, slots=True)
class Table:
    """One Parquet file: rows of all raw files whose path matches, in order of their paths."""

    name: str
    pattern: str  # of paths below the raw folder; `*` matches across folders
    read: Callable[[Path], pl.DataFrame] = raw.read_csv
    without: tuple[str, ...] = ()  # columns of copied text, or without use

    def matches(self, file: str) -> bool:
        """Whether a path below the raw folder belongs to this table."""
        return fnmatch(file, self.pattern)

    def read_file(self, root: Path, file: str) -> pl.DataFrame:
        """The rows of one raw file."""
        return self.read(root / file).drop(self.without, strict=False)

    def find_files(self, root: Path) -> list[str]:
        """Raw files of this table, in the order in which their rows are stored."""
        top = root / self.pattern.split("*")[0].rpartition("/")[0]
        found = (path.relative_to(root) for path in sorted(top.rglob("*")) if path.is_file())
        return [str(path) for path in found if self.matches(str(path))]


_GRAPH = ("_input_nodes", "_args", "_kwargs", "users", "_prev", "_next", "_erased", "_repr_fn",
          "meta")  # fmt: skip

TABLES = (
    Table("aiconfigurator_gemm", "kernels/aiconfigurator/*/gemm__*.csv.gz"),
    Table("aiconfigurator_context", "kernels/aiconfigurator/*/attention__*__context_*.csv.gz"),
    Table("aiconfigurator_generation", "kernels/aiconfigurator/*/attention__*__gener*.csv.gz"),
    Table("aiconfigurator_encoder", "kernels/aiconfigurator/*/encoder_attention__*.csv.gz"),
    Table("aiconfigurator_moe", "kernels/aiconfigurator/*/moe__*.csv.gz"),
    Table("aiconfigurator_nccl", "kernels/aiconfigurator/*/comm__*.csv.gz"),
    Table("neusight_operators", "kernels/neusight/train/collect/*.csv.gz"),
    Table("neusight_in_models", "kernels/neusight/label_per_op/*.csv.gz", without=_GRAPH),
    Table("vidur_compute", "kernels/vidur/compute/*.csv.gz"),
    Table("vidur_network", "kernels/vidur/network/*.csv.gz"),
    Table("vtrain_all_reduce", "kernels/vtrain/*.csv.gz"),
    Table("deepbench", "kernels/deepbench/*__Results*.csv", raw.read_deepbench),
    Table("flash_attention", "kernels/flash_attention/*.csv"),
    Table("kernelbench_timing", "kernels/kernelbench/timing.csv.gz"),
    Table("kernelbench_parameters", "kernels/kernelbench/problem_parameters.csv.gz",
          without=("inputs",)),
    Table("liger", "kernels/liger/benchmarks.csv.gz"),
    Table("cudnn_attention", "kernels/cudnn_frontend/*sdpa*.csv", without=("error_message",)),
    Table("cudnn_norms", "kernels/cudnn_frontend/*norms*.csv", without=("error_message",)),
    Table("cudnn_attention_2024", "kernels/cudnn_frontend/benchmark__benchmark_results@*.csv"),
    Table("flagperf", "kernels/flagperf/ops_a100.csv", without=("inputs",)),
    Table("gpu_benches", "kernels/gpu_benches/*.txt", raw.read_figures),
    Table("torchao", "kernels/torchao/tables.csv.gz", raw.read_torchao),
    Table("trace_kernels", "kernels/*_traces/*.kernels.csv.gz"),
    Table("trace_spans", "kernels/*_traces/raw/*.json.gz", raw.read_trace),
    Table("tracelens_kernels", "kernels/tracelens/*.kernels.csv.gz"),
    Table("timm_train", "end_to_end/timm_benchmark_train_*.csv.gz"),
    Table("timm_inference", "end_to_end/timm_infer-*.csv.gz"),
    Table("neusight_models", "end_to_end/neusight_labels_fp32_sample.csv"),
    Table("convnets", "end_to_end/deeplearningexamples_convnets_a100.csv",
          without=("context_line",)),
    Table("convnets_batches", "end_to_end/nvidia_deeplearningexamples_convnets_batchsizes.csv"),
    Table("mosaic", "end_to_end/mosaic_*.csv"),
    Table("vtrain_single", "end_to_end/vtrain_single_sample.csv"),
    Table("vtrain_multi", "end_to_end/vtrain_multi_sample.csv"),
    Table("bigscience", "end_to_end/bigscience_v100.csv",
          without=("context_before_table", "Notes")),
    Table("nanogpt", "end_to_end/modded_nanogpt_sample.csv"),
    Table("torchtitan", "end_to_end/torchtitan_sample.csv"),
    Table("ultrascale_steps", "end_to_end/ultrascale_nanotron_h100.csv"),
    Table("ultrascale_charts", "end_to_end/ultrascale_small_charts.csv"),
    Table("dgxc", "end_to_end/dgxc_step_times.csv"),
    Table("peft", "end_to_end/peft_l40s.csv"),
)  # fmt: skip


def table_of(file: str) -> Table | None:
    """The table that holds the rows of a raw file."""
    return next((table for table in TABLES if table.matches(file)), None)


def table_named(name: str) -> Table:
    """One table."""
    return next(table for table in TABLES if table.name == name)


def join(parts: Iterable[tuple[str, pl.DataFrame]]) -> pl.DataFrame:
    """Rows of several files under each other, each with the name of its file."""
    named = [_typed(frame).with_columns(pl.lit(file).alias(FILE)) for file, frame in parts]
    joined = pl.concat(named, how="diagonal_relaxed")
    return joined.with_columns(pl.selectors.by_dtype(pl.Null).cast(pl.String))


def _typed(frame: pl.DataFrame) -> pl.DataFrame:
    """A column without any value has no type, so that it does not make text of others' numbers."""
    empty = [column.name for column in frame if column.null_count() == len(column)]
    return frame.with_columns(pl.col(empty).cast(pl.Null))
