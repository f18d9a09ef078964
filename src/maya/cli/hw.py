"""maya hw: the catalogue of GPUs, and clusters of them."""

from pathlib import Path

import typer
from rich.table import Table

from maya.cli import options as opt
from maya.cli.render import gib, print_json, stdout
from maya.hardware import Cluster, Gpu, find_cluster, find_gpu, list_gpus

hw = typer.Typer(help="The catalogue of GPUs.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(hw, name="hw")


@hw.command("list")
def list_command(
    json: opt.Json = None,
) -> None:
    """List the GPUs that can be emulated."""
    if json:
        print_json([gpu.model_dump() for gpu in list_gpus()], json)
        return
    table = Table("id", "name", "also", "capability", "SMs", "memory", "bandwidth", "fp16 dense")
    for gpu in list_gpus():
        table.add_row(*_row(gpu))
    stdout.print(table)


@hw.command("show")
def show_command(
    name: str = typer.Argument(
        metavar="NAME", help="A GPU, a cluster (h100:8x4) or a cluster file."
    ),
    json: opt.Json = None,
) -> None:
    """Show every number known of a GPU or cluster, and where it is from."""
    if ":" in name or name.endswith((".yaml", ".yml")):
        _show_cluster(find_cluster(name), json=json)
        return
    gpu = find_gpu(name)
    if json:
        print_json(gpu.model_dump(), json)
        return
    table = Table("fact", "value", "source", title=gpu.name)
    for key, value in gpu.facts().items():
        table.add_row(key, _text(value), gpu.sources[key])
    stdout.print(table)


def _show_cluster(cluster: Cluster, *, json: Path | None) -> None:
    if json:
        print_json(cluster.model_dump(), json)
        return
    table = Table("fact", "value", "source", title=f"{cluster.name}: {cluster.gpus} GPUs")
    table.add_row("gpu", cluster.gpu.name, f"maya hw show {cluster.gpu.id}")
    usual = next((gpu.facts() for gpu in list_gpus() if gpu.id == cluster.gpu.id), {})
    for key, value in cluster.gpu.facts().items():
        if value != usual.get(key):
            table.add_row(f"gpu.{key}", _text(value), cluster.gpu.sources[key])
    for part in ("node", "fabric", "host", "price"):
        described = getattr(cluster, part)
        for key, value in (described.model_dump() if described else {}).items():
            if key != "source":
                table.add_row(f"{part}.{key}", _text(value), described.source)
    stdout.print(table)


def _row(gpu: Gpu) -> tuple[str, ...]:
    return (
        gpu.id,
        gpu.name,
        gpu.aliases[0] if gpu.aliases else "",
        f"{gpu.major}.{gpu.minor}",
        str(gpu.sm_count),
        gib(gpu.total_memory_bytes),
        f"{gpu.memory_bandwidth_bytes_per_s / 1e9:,.0f} GB/s",
        f"{gpu.flops_per_s['fp16'] / 1e12:,.0f} TFLOP/s",
    )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {number:g}" for key, number in value.items())
    return f"{value:,}" if type(value) is int else f"{value}"
