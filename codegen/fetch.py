"""Get the headers of the nvidia-* packages without downloading their libraries.

A wheel is a zip: its directory stands at the end and each member can be read alone. HTTP range
requests therefore bring 3 MB of headers out of a 600 MB wheel. Where the index is, and how to reach
it, is pip's business: its own session and finder are used, so that a mirror, a proxy or a local
directory configured for pip works here too.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, cast
from urllib.parse import unquote, urlparse

CHUNK_BYTES = 1 << 19
HEADER_SUFFIXES = {".h", ".hpp", ".cuh", ".inl", ""}


class FetchError(RuntimeError):
    """A package is not on the index, or its server cannot serve parts of a file."""


def cache_root() -> Path:
    """Directory that holds one folder of headers for each package and version."""
    configured = os.environ.get("MAYA_CODEGEN_CACHE")
    return Path(configured) if configured else Path.home() / ".cache" / "maya-codegen"


class RangeFile(io.RawIOBase):
    """A remote file, read in cached chunks; just enough of a file for `zipfile`."""

    def __init__(self, session: Any, url: str) -> None:
        self._session, self._url = session, url
        self._chunks: dict[int, bytes] = {}
        self._position = 0
        # A suffix range tells the size as well, and the zip directory is at the end anyway.
        response = self._get("bytes=-1")
        self._size = int(response.headers["Content-Range"].rpartition("/")[2])

    def _get(self, byte_range: str) -> Any:
        # pip's session caches whole responses by URL, which would hand one part out for another.
        headers = {"Range": byte_range, "Accept-Encoding": "identity", "Cache-Control": "no-store"}
        response = self._session.get(self._url, headers=headers)
        if response.status_code != 206:
            name = self._url.rpartition("/")[2]
            raise FetchError(f"{name}: no partial content (HTTP {response.status_code})")
        return response

    def _chunk(self, index: int) -> bytes:
        if index not in self._chunks:
            first = index * CHUNK_BYTES
            last = min(first + CHUNK_BYTES, self._size) - 1
            self._chunks[index] = cast(bytes, self._get(f"bytes={first}-{last}").content)
        return self._chunks[index]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        if self._position >= self._size:
            return 0
        index, start = divmod(self._position, CHUNK_BYTES)
        data = self._chunk(index)[start : start + len(buffer)]
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


@contextlib.contextmanager
def _pip() -> Iterator[tuple[Any, Any]]:
    """pip's HTTP session and package finder, configured as `pip download` would be."""
    from pip._internal.commands import create_command

    logging.getLogger("pip._internal").setLevel(logging.ERROR)
    command = cast(Any, create_command("download"))
    options, _ = command.parse_args(["unused"])
    with command.main_context():
        session = command.get_default_session(options)
        yield session, command._build_package_finder(options, session)


def wheel_url(finder: Any, package: str, version: str) -> str:
    """Address of the wheel that pip would choose here."""
    for candidate in finder.find_all_candidates(package):
        if str(candidate.version) == version and candidate.link.is_wheel:
            return str(candidate.link.url_without_fragment)
    raise FetchError(f"{package}=={version} is not on the package index")


def open_wheel(session: Any, url: str) -> zipfile.ZipFile:
    """Open a wheel wherever pip found it, reading no more than is asked for."""
    if url.startswith("file:"):
        return zipfile.ZipFile(unquote(urlparse(url).path))
    return zipfile.ZipFile(io.BufferedReader(RangeFile(session, url), CHUNK_BYTES))


def header_path(member: str) -> PurePosixPath | None:
    """Path below the include directory: `nvidia/cublas/include/cublas.h` -> `cublas.h`."""
    parts = PurePosixPath(member).parts
    if "include" not in parts or PurePosixPath(member).suffix not in HEADER_SUFFIXES:
        return None
    below = parts[parts.index("include") + 1 :]
    return PurePosixPath(*below) if below else None


def _extract(wheel: zipfile.ZipFile, target: Path) -> None:
    # CCCL's C++ library (cub, thrust, libcu++) is thousands of files that no C header includes.
    skipped = {"cub", "thrust", "cuda", "nv", "cccl"}
    members = sorted(wheel.infolist(), key=lambda info: info.header_offset)
    for info in members:
        path = header_path(info.filename)
        if path is None or info.is_dir() or path.parts[0] in skipped:
            continue
        destination = target / path
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.write_bytes(wheel.read(info))


def fetch_headers(packages: dict[str, str]) -> dict[str, Path]:
    """Include directory of each package (name -> version), from the cache or the index."""
    found = {name: cache_root() / f"{name}-{version}" for name, version in packages.items()}
    missing = [name for name, path in found.items() if not path.is_dir()]
    if missing:
        with _pip() as (session, finder):
            for name in missing:
                print(f"fetching the headers of {name}=={packages[name]}", flush=True)
                partial = found[name].with_name(found[name].name + ".partial")
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir(parents=True)
                with open_wheel(session, wheel_url(finder, name, packages[name])) as wheel:
                    _extract(wheel, partial)
                partial.rename(found[name])
    return found
