"""python -m workshop data: make the Parquet files again from a raw folder."""

from pathlib import Path

import typer

from maya.cli.render import stdout
from workshop.measurements.catalogue import TABLES
from workshop.measurements.store import measurements, parquet
from workshop.paths import DATA

_LEVEL = 19  # of zstd: written once, read often


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("data")(command)


def command(
    raw: Path = typer.Argument(help="The raw folder, with kernels/ and end_to_end/."),
    to: Path = typer.Option(DATA, help="Where the Parquet files go."),
) -> None:
    """Make workshop/data again from raw files: figures only, in the order of the files.

    Tables whose raw files are not there stay as they are.
    """
    source = measurements(raw)
    for table in (table for table in TABLES if table.find_files(raw)):
        rows = source.table(table.name)
        path = to / parquet(table).name
        rows.write_parquet(path, compression="zstd", compression_level=_LEVEL)
        size = path.stat().st_size
        stdout.print(f"{table.name:<28} {rows.height:>8} rows {size:>9} bytes", highlight=False)
