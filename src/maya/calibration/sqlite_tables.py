"""Tables of an SQLite file that somebody else made: whatever is in it, reading them ends."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LONGEST_VALUE = 1 << 20
_LEAST_ROW_BYTES = 4  # a cell and its pointer: damaged pages can be their own children for ever


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows as the file holds them; sqlite3.Error where it is damaged."""

    base: sqlite3.Connection
    most_rows: int

    def columns(self, table: str) -> set[str]:
        """Those that are stored. A view has none: what it would compute may never end."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
        if not self.base.execute(query, (table,)).fetchone():
            return set()
        return {row[1] for row in self.base.execute(f"PRAGMA table_info({table})")}

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """No more of them than a file of this size has room for."""
        if not self.columns(table).issuperset(columns):
            raise sqlite3.DatabaseError(f"no table {table} with {', '.join(columns)}")
        asked = ", ".join(f'"{column}"' for column in columns)
        for number, row in enumerate(self.base.execute(f"SELECT {asked} FROM {table}")):
            if number >= self.most_rows:
                raise sqlite3.DatabaseError(f"table {table} has more rows than the file holds")
            yield row


@contextmanager
def open_tables(path: Path) -> Iterator[Tables]:
    """For reading; sqlite3.Error where the file is no such thing."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as base:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        base.execute("PRAGMA trusted_schema = OFF")
        try:
            yield Tables(base, path.stat().st_size // _LEAST_ROW_BYTES)
        except UnicodeDecodeError as error:  # in the names of columns
            raise sqlite3.DatabaseError("a name is no text") from error
