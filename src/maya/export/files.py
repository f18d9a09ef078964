"""One file for each launched rank."""

from collections.abc import Callable, Iterable
from pathlib import Path

from maya.errors import MayaError
from maya.export.rank_spans import RankSpans


def written(
    ranks: Iterable[RankSpans],
    directory: Path,
    name: str,
    write: Callable[[RankSpans, Path], None],
) -> list[Path]:
    """Where they are; `name` has the rank in it."""
    paths = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for spans in ranks:
            path = directory / name.format(rank=spans.rank)
            write(spans, path)
            paths.append(path)
    except OSError as error:
        raise MayaError(f"cannot write to {directory}: {error.strerror}") from error
    return paths
